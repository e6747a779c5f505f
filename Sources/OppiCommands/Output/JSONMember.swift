// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// One member of a JSON object: its name, its meaning, and its value in the object of a value.
struct JSONMember<Value>: Sendable {
  let name: String
  /// The member itself, and what its own value consists of.
  let rows: [HelpRow]
  /// Returns the member's value; `nil` leaves it out.
  let value: @Sendable (Value) -> JSONValue?

  /// The member in the object of a value; `nil` where it is left out.
  func entry(for value: Value) -> JSONObject.Element? { self.value(value).map { (name, $0) } }

  /// Declares a member with a plain value.
  static func member(
    _ name: String,
    _ meaning: String,
    _ value: @escaping @Sendable (Value) -> JSONValue?
  ) -> JSONMember {
    JSONMember(name: name, rows: [HelpRow(name, meaning)], value: value)
  }

  /// Declares a member that is an object of a known shape.
  static func object<Inner>(
    _ name: String,
    _ meaning: String,
    _ shape: JSONShape<Inner>,
    _ inner: @escaping @Sendable (Value) -> Inner?
  ) -> JSONMember {
    JSONMember(name: name, rows: rows(name, meaning, "\(name).", shape)) { value in
      inner(value).map(shape.document)
    }
  }

  /// Declares a member that is a list of objects of a known shape.
  static func list<Inner>(
    _ name: String,
    _ meaning: String,
    _ shape: JSONShape<Inner>,
    _ elements: @escaping @Sendable (Value) -> [Inner]
  ) -> JSONMember {
    JSONMember(name: name, rows: rows(name, meaning, "\(name)[].", shape)) { value in
      .array(elements(value).map(shape.document))
    }
  }

  private static func rows<Inner>(
    _ name: String,
    _ meaning: String,
    _ path: String,
    _ shape: JSONShape<Inner>
  ) -> [HelpRow] {
    [HelpRow(name, meaning)] + shape.rows.map { HelpRow(path + $0.term, $0.meaning) }
  }
}
