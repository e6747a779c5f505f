// SPDX-License-Identifier: MIT

/// A value that is stored as a JSON object.
package protocol JSONRecord: Sendable {
  /// Reads an object; `nil` if it is not such a record.
  init?(json: JSONValue)

  /// The object, from which ``init(json:)`` reads an equal record.
  var json: JSONValue { get }

  /// The object that replaces a stored one; may keep members that this program does not know.
  func object(over stored: JSONObject) -> JSONObject
}

extension JSONRecord {
  package func object(over stored: JSONObject) -> JSONObject { json.object ?? [:] }
}

/// A record that is read and written by the rows of its shape.
package protocol ShapedRecord: JSONRecord {
  static var shape: RecordShape<Self> { get }
}

extension ShapedRecord {
  package init?(json: JSONValue) {
    guard let record = Self.shape.record(from: json) else { return nil }
    self = record
  }

  package var json: JSONValue { .object(Self.shape.object(of: self)) }

  package func object(over stored: JSONObject) -> JSONObject {
    Self.shape.object(of: self, over: stored)
  }
}

extension JSONField where Value: JSONRecord {
  package static var record: JSONField {
    JSONField(encode: { $0.json }, decode: { Value(json: $0) })
  }
}

/// An object as it is.
extension JSONObject: JSONRecord {
  package init?(json: JSONValue) {
    guard let object = json.object else { return nil }
    self = object
  }

  package var json: JSONValue { .object(self) }
}

/// An object with a record under each name.
///
/// Records are read when they are needed. Members that are not changed stay as they are, also those
/// that cannot be read.
package struct KeyedRecords<Record: JSONRecord>: JSONRecord, Equatable {
  private var members: JSONObject = [:]

  package init() {}

  package init?(json: JSONValue) {
    guard let object = json.object else { return nil }
    members = object
  }

  package var json: JSONValue { .object(members) }

  /// Whether a name has a value, which may be unreadable.
  package func contains(_ name: String) -> Bool { members[name] ?? .null != .null }

  /// The record under a name; `nil` if there is none or it cannot be read, and to remove it.
  package subscript(name: String) -> Record? {
    get { members[name].flatMap { Record(json: $0) } }
    set { members[name] = newValue?.json }
  }

  /// The records that can be read.
  package var records: [Record] {
    // At every start: the generic `compactMap` looks its types up at run time.
    var records: [Record] = []
    for member in members { if let record = Record(json: member.value) { records.append(record) } }
    return records
  }
}
