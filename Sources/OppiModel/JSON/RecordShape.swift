// SPDX-License-Identifier: MIT

/// The members of a record's JSON object, by which the record is written, read and documented.
///
/// Files are external data: the fields limit texts and lists when they are read. Shapes and members
/// are immutable classes, so that they are not copied for each of a file's 1,000 sessions.
package final class RecordShape<Record: Sendable>: Sendable {
  /// Has the values of members that are missing.
  private let blank: Record
  package let members: [RecordMember<Record>]

  /// - Parameters:
  ///   - blank: A record with the default of each member; required members replace theirs.
  ///   - members: In the order of the object.
  package init(_ blank: Record, _ members: [RecordMember<Record>]) {
    self.blank = blank
    self.members = members
  }

  package func object(of record: Record) -> JSONObject {
    var object = JSONObject()
    object.reserveCapacity(members.count)
    for member in members {
      if let value = member.value(record) { object.append(member.name, value) }
    }
    return object
  }

  package func json(of record: Record) -> JSONValue { .object(object(of: record)) }

  /// Reads a record; `nil` if a member rejects it, or if the value is not an object.
  package func record(from json: JSONValue) -> Record? {
    guard case .object(let object) = json else { return nil }
    var record = blank
    var place = 0
    for member in members {
      let value = object.value(ofASCII: member.name, at: &place)
      guard member.read(value, json, &record) else { return nil }
    }
    return record
  }

  /// The documented members; those of inner objects have paths such as `servers[].id`.
  package var documentation: [(path: String, meaning: String)] {
    members.flatMap(\.documentation)
  }
}

extension JSONField {
  /// An inner object.
  package static func object(_ shape: RecordShape<Value>) -> JSONField {
    JSONField(encode: shape.json, decode: shape.record) {
      shape.documentation.map { (".\($0.path)", $0.meaning) }
    }
  }
}
