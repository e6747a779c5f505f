// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

/// A kind of record with samples that have all members, and what its members need.
struct RecordCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let members: [String]
  let samples: [JSONObject]
  /// Reads a record and writes it again; `nil` if it is rejected.
  let rewritten: @Sendable (JSONValue) -> JSONValue?
  let required: Set<String>
  /// Members that reject a record if they are unusable.
  let strict: Set<String>
  /// Members that depend on others.
  let dependent: Set<String>
  /// What is written for a member that is missing; others are omitted.
  let defaults: JSONObject

  init<Record>(
    _ name: String,
    _ shape: RecordShape<Record>,
    _ samples: [Record],
    required: Set<String> = [],
    strict: Set<String> = [],
    dependent: Set<String> = [],
    defaults: JSONObject = [:],
    read: (@Sendable (JSONValue) -> Record?)? = nil
  ) {
    let read = read ?? shape.record
    testDescription = name
    members = shape.members.map(\.name)
    self.samples = samples.map(shape.object)
    rewritten = { read($0).map(shape.json) }
    self.required = required
    self.strict = strict
    self.dependent = dependent
    self.defaults = defaults
  }

  func rewritten(_ sample: JSONObject, _ name: String, _ value: JSONValue?) -> JSONValue? {
    var sample = sample
    sample[name] = value
    return rewritten(.object(sample))
  }

  func withDefault(_ sample: JSONObject, _ name: String) -> JSONObject {
    var sample = sample
    sample[name] = defaults[name]
    return sample
  }

  /// A value that no member accepts.
  static let unusable = JSONValue.double(-0.5)

  /// The members that may be missing, whatever the others are.
  var optional: [String] { members.filter { !required.union(dependent).contains($0) } }
}
