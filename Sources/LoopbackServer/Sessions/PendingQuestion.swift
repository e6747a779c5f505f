// SPDX-License-Identifier: MIT

import OppiModel

/// A question of the agent to its user.
struct PendingQuestion {
  let id: String
  /// The message with the question.
  let request: JSONValue
  /// Whether those who come later are asked, too.
  let isRepeated: Bool
  /// The client's message with the answer.
  let answer = Promise<JSONValue>()

  /// Goes on as if the user did not want to answer.
  func cancel() {
    answer.keep(["cancelled": true])
  }
}
