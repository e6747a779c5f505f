// SPDX-License-Identifier: MIT

import OppiModel

extension JSONValue {
  /// Returns the object with further members; absent ones are left out.
  func adding(_ members: [String: JSONValue?]) -> JSONValue {
    .object((object ?? [:]).merging(members.compactMapValues(\.self)) { _, new in new })
  }

  static func number(_ value: Int) -> JSONValue { .integer(Int64(value)) }
}
