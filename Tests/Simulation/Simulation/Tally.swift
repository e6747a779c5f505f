// SPDX-License-Identifier: MIT

/// The number of reported deliveries, and of those with an unknown result.
package struct Tally: Sendable, Equatable {
  package private(set) var reported = 0
  package private(set) var unknown = 0

  package init() {}

  init(isUnknown: Bool) {
    reported = 1
    unknown = isUnknown ? 1 : 0
  }

  package mutating func add(_ other: Tally) {
    reported += other.reported
    unknown += other.unknown
  }
}

extension Tally: CustomStringConvertible {
  package var description: String {
    let permille = reported == 0 ? 0 : unknown * 10_000 / reported
    let rest = permille % 100
    return "\(unknown) of \(reported) unknown (\(permille / 100).\(rest < 10 ? "0" : "")\(rest) %)"
  }
}
