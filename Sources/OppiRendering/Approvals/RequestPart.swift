// SPDX-License-Identifier: MIT

import OppiModel

/// A part of what a tool call would do, as it is put before the person who decides.
package struct RequestPart: Sendable, Equatable {
  /// What the part is to the call.
  package enum Kind: Sendable {
    case given
    /// Text that an edit takes away.
    case removed
    /// Text that an edit puts there.
    case added
  }

  /// What the part is called; `nil` for the one that needs no name.
  package var label: String?
  /// The server's own text, whole and not made safe.
  package var text: String
  package var kind = Kind.given
}

extension RequestPart {
  /// All members of a call's input: some that come first, then the others by their names.
  ///
  /// - Parameters:
  ///   - input: The input, of any kind.
  ///   - leading: The members that say what the call does; the first of them needs no name.
  /// - Returns: A part for each member; nothing of the input is left out.
  static func all(of input: JSONValue, leading: [String] = []) -> [RequestPart] {
    guard let members = input.object else {
      return input == .null ? [] : [RequestPart(text: text(of: input))]
    }
    let first = leading.compactMap { name in members[name].map { (key: name, value: $0) } }
    let others = members.filter { !leading.contains($0.key) }.sorted { $0.key < $1.key }
    return (first + others).map { name, value in
      RequestPart(label: name == leading.first ? nil : name, text: text(of: value))
    }
  }

  /// A string as itself, anything else as JSON.
  static func text(of value: JSONValue) -> String { value.string ?? value.text(.indented) }
}
