// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// The members of the JSON object for a type of values.
///
/// The object and its description in `oppi help json` have the same source. Members are only ever
/// added.
struct JSONShape<Value>: Sendable, ExpressibleByArrayLiteral {
  private let members: [JSONMember<Value>]

  init(_ members: [JSONMember<Value>]) {
    self.members = members
  }

  init(arrayLiteral members: JSONMember<Value>...) {
    self.init(members)
  }

  /// The members of a record that this program also reads.
  init(_ record: RecordShape<Value>) where Value: Sendable {
    self.init(
      record.members.map { member in
        let rows = member.documentation.map { HelpRow($0.path, $0.meaning) }
        return JSONMember(name: member.name, rows: rows, value: member.value)
      }
    )
  }

  /// The same members for a type that contains such a value.
  func members<Outer>(
    of inner: @escaping @Sendable (Outer) -> Value
  ) -> [JSONMember<Outer>] {
    members.map { member in
      JSONMember(name: member.name, formerName: member.formerName, rows: member.rows) {
        member.value(inner($0))
      }
    }
  }

  /// All members with their meanings; those of inner objects have paths such as `servers[].id`.
  var rows: [HelpRow] { members.flatMap(\.rows) }

  func document(of value: Value) -> JSONValue {
    .object(JSONObject(members.flatMap { $0.entries(for: value) }))
  }
}
