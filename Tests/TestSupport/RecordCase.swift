// SPDX-License-Identifier: MIT

package import OppiText

/// A kind of record on disk: samples that together have all members, and what its members need.
package struct RecordCase: Sendable, CustomStringConvertible {
  package let description: String
  private let members: [String]
  private let samples: [JSONObject]
  /// Reads a record and writes it again; `nil` if it is rejected.
  private let rewritten: @Sendable (JSONValue) -> JSONValue?
  private let required: Set<String>
  private let strict: Set<String>
  private let dependent: Set<String>
  private let defaults: JSONObject

  /// - Parameters:
  ///   - name: The name of the record.
  ///   - shape: Its members.
  ///   - samples: Records.
  ///   - required: Members without which a record is rejected.
  ///   - strict: Members that reject a record if they are unusable.
  ///   - dependent: Members that are not checked because they depend on others.
  ///   - defaults: What is written for members that are missing; others are omitted.
  package init<Record>(
    _ name: String,
    _ shape: RecordShape<Record>,
    _ samples: [Record],
    required: Set<String> = [],
    strict: Set<String> = [],
    dependent: Set<String> = [],
    defaults: JSONObject = [:]
  ) {
    description = name
    members = shape.members.map(\.name)
    self.samples = samples.map(shape.object)
    rewritten = { shape.record(from: $0).map(shape.json) }
    self.required = required
    self.strict = strict
    self.dependent = dependent
    self.defaults = defaults
  }

  /// What is wrong with the members, if they are left out or replaced one at a time.
  package var problems: [String] {
    var problems: [String] = []
    if members.count != Set(members).count { problems.append("a name occurs twice") }
    if Set(samples.flatMap { $0.map(\.key) }) != Set(members) { problems.append("no full sample") }
    for sample in samples {
      if rewritten(.object(sample)) != .object(sample) { problems.append("no round trip") }
      for name in members where sample[name] != nil && !dependent.contains(name) {
        problems += self.problems(of: name, in: sample).map { "\(name): \($0)" }
      }
    }
    return problems
  }

  private func problems(of name: String, in sample: JSONObject) -> [String] {
    func rewritten(_ value: JSONValue?) -> JSONValue? {
      var changed = sample
      changed[name] = value
      return self.rewritten(.object(changed))
    }
    var expected = sample
    expected[name] = defaults[name]
    let missing = required.contains(name) ? nil : JSONValue.object(expected)
    let unusable = strict.contains(name) ? nil : missing
    return [
      rewritten(nil) == missing ? nil : "missing",
      rewritten(.null) == missing ? nil : "null",
      // No member accepts this number.
      rewritten(.double(-0.5)) == unusable ? nil : "unusable",
    ]
    .compactMap(\.self)
  }
}
