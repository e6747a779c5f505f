// SPDX-License-Identifier: MIT

/// The members of a record's JSON object, by which the record is written, read and documented.
///
/// Files are external data: the fields limit texts and lists when they are read. Shapes and members
/// are immutable classes, so that they are not copied for each of a file's 1,000 sessions.
package final class RecordShape<Record: Sendable>: Sendable {
  /// Has the values of members that are missing.
  private let blank: Record
  package let members: [RecordMember<Record>]
  private let isUsable: @Sendable (Record) -> Bool

  /// - Parameters:
  ///   - blank: A record with the default of each member; required members replace theirs.
  ///   - members: In the order of the object.
  ///   - isUsable: Whether a record is accepted whose members are.
  package init(
    _ blank: Record,
    _ members: [RecordMember<Record>],
    accepting isUsable: @escaping @Sendable (Record) -> Bool = { _ in true }
  ) {
    self.blank = blank
    self.members = members
    self.isUsable = isUsable
  }

  package func object(of record: Record) -> JSONObject {
    var object = JSONObject()
    object.reserveCapacity(members.count)
    for member in members {
      if let value = member.value(record) { object.append(member.name, value) }
    }
    return object
  }

  /// The object that replaces a stored one, and keeps the members that have no row.
  package func object(of record: Record, over stored: JSONObject) -> JSONObject {
    guard !stored.isEmpty else { return object(of: record) }
    var object = stored
    for member in members { object[member.name] = member.value(record) }
    return object
  }

  package func json(of record: Record) -> JSONValue { .object(object(of: record)) }

  /// Reads a record; `nil` if it is rejected, or if the value is not an object.
  package func record(from json: JSONValue) -> Record? {
    guard case .object(let object) = json else { return nil }
    var record = blank
    var place = 0
    for member in members {
      let value = object.value(ofASCII: member.name, at: &place)
      guard member.read(value, json, &record) else { return nil }
    }
    return isUsable(record) ? record : nil
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

/// A member of a record's JSON object.
///
/// `null` counts as a missing member.
package final class RecordMember<Record: Sendable>: Sendable {
  /// Lets a function read or write a property, as `{ $1(&$0.name) }`.
  ///
  /// Unlike a key path, it needs no metadata at run time, which would cost a fifth of the instructions
  /// of `ask`. Reading calls the setter too, on a copy.
  package typealias Property<Value> =
    @Sendable (inout Record, _ access: (inout Value) -> Void) -> Void
  /// Reads the member's value from a whole object into the record; false rejects the record.
  package typealias Read = @Sendable (JSONValue?, _ object: JSONValue, inout Record) -> Bool

  package let name: String
  /// `nil` if it is not documented.
  private let meaning: String?
  /// The documented members of its own object or list.
  private let parts: JSONField<Record>.Parts
  /// `nil` omits the member.
  package let value: @Sendable (Record) -> JSONValue?
  package let read: Read
  /// What is wrong with an unusable value, as a predicate.
  package let defect: @Sendable (JSONValue) -> String

  private init(
    _ name: String,
    meaning: String? = nil,
    parts: @escaping JSONField<Record>.Parts = { [] },
    defect: @escaping @Sendable (JSONValue) -> String = { _ in "is unusable" },
    value: @escaping @Sendable (Record) -> JSONValue?,
    read: @escaping Read
  ) {
    self.name = name
    self.meaning = meaning
    self.parts = parts
    self.defect = defect
    self.value = value
    self.read = read
  }

  /// Documents the member.
  package func means(_ meaning: String) -> RecordMember {
    RecordMember(name, meaning: meaning, parts: parts, defect: defect, value: value, read: read)
  }

  /// The member and those of its object or list, with paths such as `servers[].id`.
  package var documentation: [(path: String, meaning: String)] {
    guard let meaning else { return [] }
    return [(name, meaning)] + parts().map { ("\(name)\($0.path)", $0.meaning) }
  }
}

// MARK: - Members of one property

extension RecordMember {
  /// A member without which a record is rejected.
  package static func required<Value: Sendable>(
    _ name: String,
    _ property: @escaping Property<Value>,
    _ field: JSONField<Value>
  ) -> RecordMember {
    member(name, property, field) { _ in false }
  }

  /// A member that keeps its default if it is missing or unusable.
  package static func defaulted<Value: Sendable>(
    _ name: String,
    _ property: @escaping Property<Value>,
    _ field: JSONField<Value>
  ) -> RecordMember {
    member(name, property, field) { _ in true }
  }

  /// A member that keeps its default if it is missing, and rejects a record if it is unusable.
  package static func checked<Value: Sendable>(
    _ name: String,
    _ property: @escaping Property<Value>,
    _ field: JSONField<Value>
  ) -> RecordMember {
    member(name, property, field) { $0 ?? .null == .null }
  }

  /// A member that is `nil` if it is missing or unusable; `nil` is omitted.
  package static func optional<Value: Sendable>(
    _ name: String,
    _ property: @escaping Property<Value?>,
    _ field: JSONField<Value>
  ) -> RecordMember {
    defaulted(name, property, field.orNil)
  }

  /// A member that is `nil` if it is missing, and rejects a record if it is unusable.
  package static func strict<Value: Sendable>(
    _ name: String,
    _ property: @escaping Property<Value?>,
    _ field: JSONField<Value>
  ) -> RecordMember {
    checked(name, property, field.orNil)
  }

  private static func member<Value: Sendable>(
    _ name: String,
    _ property: @escaping Property<Value>,
    _ field: JSONField<Value>,
    acceptsUnread: @escaping @Sendable (JSONValue?) -> Bool
  ) -> RecordMember {
    RecordMember(name, parts: field.parts, defect: field.defect) {
      var (copy, json): (Record, JSONValue?) = ($0, nil)
      property(&copy) { json = field.encode($0) }
      return json
    } read: { value, _, record in
      guard let value, let decoded = field.decode(value) else { return acceptsUnread(value) }
      property(&record) { $0 = decoded }
      return true
    }
  }
}

// MARK: - Other members

extension RecordMember {
  /// A number that is the same in all records; others are rejected.
  package static func constant(_ name: String, _ number: Int) -> RecordMember {
    RecordMember(name) { _ in
      .integer(Int64(number))
    } read: { value, _, _ in
      value?.int == number
    }
  }

  /// A member for other programs, which is not read.
  package static func written(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> JSONValue?
  ) -> RecordMember {
    RecordMember(name, value: value) { _, _, _ in true }
  }

  /// A member whose reading depends on others, for example in files of earlier versions.
  package static func custom(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> JSONValue?,
    read: @escaping Read
  ) -> RecordMember {
    RecordMember(name, value: value, read: read)
  }
}
