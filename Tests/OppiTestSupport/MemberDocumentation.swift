// SPDX-License-Identifier: MIT

import CommandTable
import OppiText

/// The documentation of the members that a command prints.
struct MemberDocumentation {
  private let meanings: [String: String]

  init(rows: [HelpRow]) {
    meanings = Dictionary(rows.map { ($0.term, $0.meaning) }) { first, _ in first }
  }

  /// The paths of undocumented members, such as `servers[].id`.
  ///
  /// A line with a type also has the members that the type's row lists. The contents of a
  /// documented member without rows are not checked.
  func gaps(in document: JSONValue) -> [String] {
    let listed = document["type"].string.flatMap { meanings[$0] } ?? ""
    let ofType = Set(listed.split(separator: ", ").map(String.init))
    return paths(in: document, below: "").filter { meanings[$0] == nil && !ofType.contains($0) }
  }

  private func paths(in value: JSONValue, below prefix: String) -> [String] {
    (value.object ?? [:]).flatMap { name, value -> [String] in
      let path = prefix + name
      let inner = ["\(path).", "\(path)[]."].filter { prefix in
        meanings.keys.contains { $0.hasPrefix(prefix) }
      }
      let values = value.array ?? [value]
      return [path] + inner.flatMap { prefix in values.flatMap { paths(in: $0, below: prefix) } }
    }
  }
}
