// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// A word on something that waits for a person, sent over a stream, where nothing is confirmed.
///
/// A server names what it does not know. So the same word on something that nobody knows is sent
/// right behind: what a server says of that one is all that it has to say of the first.
struct StreamWord {
  /// The word on a thing, by the thing's id.
  private let message: @Sendable (_ id: String) -> ClientMessage
  private let id: String
  /// How the server begins to say that it knows no such thing.
  private let refusal: String

  /// A decision on a tool call; what nobody knows is denied.
  static func decision(_ decision: PermissionDecision, on id: String) -> StreamWord {
    StreamWord(
      message: { .decide(permissionID: $0, $0 == id ? decision : .deny) },
      id: id,
      refusal: "Permission request not found: "
    )
  }

  /// An answer to a question; what nobody has asked is left unanswered.
  static func answer(_ answer: QuestionAnswer, to id: String) -> StreamWord {
    StreamWord(
      message: { .answer(questionID: $0, $0 == id ? answer : .cancelled) },
      id: id,
      refusal: "UI request not found: "
    )
  }

  /// Sends the word and returns whether the server took it; false where the thing waits no more.
  ///
  /// - Throws: Where the server could not be told, or says nothing.
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
