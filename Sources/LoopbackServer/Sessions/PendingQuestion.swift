// SPDX-License-Identifier: MIT

import OppiModel

/// A question of the agent to its user.
struct PendingQuestion {
  let id: String
  /// The message with the question.
  let request: JSONValue
  /// The answers by question, or `nil` where there are none.
  let answer = Promise<[String: JSONValue]?>()
}
