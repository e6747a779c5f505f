// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering

/// The members of a list's elements that are printed as columns, by their names in JSON.
package struct ListFields: Sendable, Equatable {
  /// The members of the document that are the lists.
  let lists: [String]
  /// The columns in order; a dot separates the names of inner members.
  let names: [String]

  /// The rows of a document, or of a line of a stream, which is a row itself.
  private func rows(of document: JSONValue) -> [JSONValue] {
    let found = lists.compactMap { document[$0].array }
    return found.isEmpty ? [document] : Array(found.joined())
  }

  func table(of documents: [JSONValue]) -> Table {
    Table(plain: documents.flatMap(rows), headers: names.map { $0.uppercased() }) { row in
      names.map { Self.text(of: row, at: $0) }
    }
  }

  private static func text(of row: JSONValue, at name: String) -> String {
    text(of: name.split(separator: ".").reduce(row) { value, member in value[String(member)] })
  }

  /// A value as text; empty for null, and JSON for a value that contains others with names.
  private static func text(of value: JSONValue) -> String {
    switch value {
    case .null: ""
    case .string(let text): text
    case .array(let values) where values.allSatisfy(\.isSimple):
      values.map(text).joined(separator: ",")
    default: value.text()
    }
  }

  /// The names of members of the lists' elements, without those of inner lists.
  static func names(in members: [HelpRow], of lists: [String]) -> [String] {
    var names: [String] = []
    for list in lists {
      for row in members where row.term.hasPrefix("\(list)[].") {
        let name = String(row.term.dropFirst(list.count + 3))
        if !name.contains("["), !names.contains(name) { names.append(name) }
      }
    }
    return names
  }
}

extension JSONValue {
  fileprivate var isSimple: Bool {
    switch self {
    case .array, .object: false
    default: true
    }
  }
}
