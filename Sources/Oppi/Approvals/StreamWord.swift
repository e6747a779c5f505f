// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// A message about a pending item over a stream, which confirms nothing.
///
/// The server reports only unknown items. So the same message for a made-up id follows at once: the
/// error for that id shows that the server has processed the first message.
struct StreamWord {
  /// The message for an item's id.
  private let message: @Sendable (_ id: String) -> ClientMessage
  private let id: String
  /// The start of the server's error for an unknown item.
  private let refusal: String

  /// A decision on a tool call; the made-up id gets a denial.
  static func decision(_ decision: PermissionDecision, on id: String) -> StreamWord {
    StreamWord(
      message: { .decide(permissionID: $0, $0 == id ? decision : .deny) },
      id: id,
      refusal: "Permission request not found: "
    )
  }

  /// An answer to a question; the made-up id gets a cancelled answer.
  static func answer(_ answer: QuestionAnswer, to id: String) -> StreamWord {
    StreamWord(
      message: { .answer(questionID: $0, $0 == id ? answer : .cancelled) },
      id: id,
      refusal: "UI request not found: "
    )
  }

  /// Sends the message, and returns whether the server accepted it; false if the item is not
  /// pending.
  ///
  /// - Throws: If the message could not be sent, or the server does not respond.
  func isHeard(
    over stream: IntentWebSocket,
    of sessionID: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Bool {
    let unknown = stream.newID()
    try await stream.send(
      [.init(message(id), id: stream.newID()), .init(message(unknown), id: stream.newID())],
      to: sessionID,
      until: deadline
    )
    while true {
      guard case .error(let text, _, _) = try await stream.receive(until: deadline).kind else {
        continue
      }
      if text == refusal + id { return false }
      if text == refusal + unknown { return true }
    }
  }
}
