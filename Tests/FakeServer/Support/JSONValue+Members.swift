// SPDX-License-Identifier: MIT

import OppiModel

extension JSONValue {
  /// Returns the object with further members; `nil` values are omitted.
  func adding(_ members: JSONObject) -> JSONValue {
    .object((object ?? [:]).adding(members))
  }

  static func number(_ value: Int) -> JSONValue { .integer(Int64(value)) }
}
