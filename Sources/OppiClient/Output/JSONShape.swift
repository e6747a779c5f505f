// SPDX-License-Identifier: MIT

package import CommandTable
package import OppiModel
package import OppiText

/// The members of the JSON object for a type of values.
///
/// The object and its description in `oppi help json` have the same source. Members are only ever
/// added.
package struct JSONShape<Value>: Sendable, ExpressibleByArrayLiteral {
  private let members: [JSONMember<Value>]

  package init(_ members: [JSONMember<Value>]) {
    self.members = members
  }

  package init(arrayLiteral members: JSONMember<Value>...) {
    self.init(members)
  }

  /// The members of a record that this program also reads.
  package init(_ record: RecordShape<Value>) where Value: Sendable {
    self.init(
      record.members.map { member in
        let rows = member.documentation.map { HelpRow($0.path, $0.meaning) }
        return JSONMember(name: member.name, rows: rows, value: member.value)
      }
    )
  }

  /// The same members for a type that contains such a value.
  package func members<Outer>(
    of inner: @escaping @Sendable (Outer) -> Value
  ) -> [JSONMember<Outer>] {
    members.map { member in
      JSONMember(name: member.name, formerName: member.formerName, rows: member.rows) {
        member.value(inner($0))
      }
    }
  }

  /// All members with their meanings; those of inner objects have paths such as `servers[].id`.
  package var rows: [HelpRow] { members.flatMap(\.rows) }

  package func document(of value: Value) -> JSONValue { .object(object(of: value)) }

  package func object(of value: Value) -> JSONObject {
    JSONObject(members.flatMap { $0.entries(for: value) })
  }

  /// Returns how to get a member, or one inside it, by its path, such as `server.name`.
  func value(at path: String) -> @Sendable (Value) -> JSONValue {
    let names = path.split(separator: ".").map(String.init)
    guard let member = members.first(where: { $0.name == names.first }) else {
      preconditionFailure("no member \(path)")
    }
    return { value in
      names.dropFirst().reduce(member.value(value) ?? .null) { inner, name in inner[name] }
    }
  }
}

/// A member of a JSON object: its name, its meaning, and how to get its value.
package struct JSONMember<Value>: Sendable {
  let name: String
  /// An earlier name, under which the value appears too.
  var formerName: String?
  /// The member itself, then those of its own object or list.
  let rows: [HelpRow]
  /// `nil` omits the member.
  let value: @Sendable (Value) -> JSONValue?

  /// The names with the value for an object; empty if the member is omitted.
  func entries(for value: Value) -> [JSONObject.Element] {
    self.value(value).map { value in [name, formerName].compactMap(\.self).map { ($0, value) } }
      ?? []
  }

  package static func member(
    _ name: String,
    _ meaning: String,
    _ value: @escaping @Sendable (Value) -> JSONValue?
  ) -> JSONMember {
    JSONMember(name: name, rows: [HelpRow(name, meaning)], value: value)
  }

  /// Declares a member that is null without a text.
  package static func text(
    _ name: String,
    _ meaning: String,
    _ text: @escaping @Sendable (Value) -> String?
  ) -> JSONMember {
    .member(name, meaning) { text($0).map(JSONValue.string) ?? .null }
  }

  /// Declares a member that is omitted without a text.
  package static func optionalText(
    _ name: String,
    _ meaning: String,
    _ text: @escaping @Sendable (Value) -> String?
  ) -> JSONMember {
    .member(name, meaning) { text($0).map(JSONValue.string) }
  }

  package static func texts(
    _ name: String,
    _ meaning: String,
    _ texts: @escaping @Sendable (Value) -> [String]
  ) -> JSONMember {
    .member(name, meaning) { .array(texts($0).map(JSONValue.string)) }
  }

  package static func bool(
    _ name: String,
    _ meaning: String,
    _ flag: @escaping @Sendable (Value) -> Bool
  ) -> JSONMember {
    .member(name, meaning) { .bool(flag($0)) }
  }

  /// Declares an amount of dollars, which is null if it is unknown.
  package static func dollars(
    _ name: String,
    _ meaning: String,
    _ amount: @escaping @Sendable (Value) -> Dollars?
  ) -> JSONMember {
    .member(name, meaning) { amount($0).map { .double($0.number) } ?? .null }
  }

  /// Declares a member that is null without a number.
  package static func number(
    _ name: String,
    _ meaning: String,
    _ number: @escaping @Sendable (Value) -> (some BinaryInteger & Sendable)?
  ) -> JSONMember {
    .member(name, meaning) { value in number(value).map { .integer(Int64($0)) } ?? .null }
  }

  package static func object<Inner>(
    _ name: String,
    _ meaning: String,
    _ shape: JSONShape<Inner>,
    _ inner: @escaping @Sendable (Value) -> Inner?
  ) -> JSONMember {
    JSONMember(name: name, rows: rows(name, meaning, "\(name).", shape)) { value in
      inner(value).map(shape.document)
    }
  }

  /// Declares a list, which also has its earlier name if `formerName` is given.
  package static func list<Inner>(
    _ name: String,
    formerly formerName: String? = nil,
    _ meaning: String,
    _ shape: JSONShape<Inner>,
    _ elements: @escaping @Sendable (Value) -> [Inner]
  ) -> JSONMember {
    let rows = rows(name, meaning, "\(name)[].", shape)
    let same = formerName.map { [HelpRow($0, "The same list as \(name)")] } ?? []
    return JSONMember(name: name, formerName: formerName, rows: rows + same) { value in
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
