// SPDX-License-Identifier: MIT

import OppiModel

/// Reads the messages of a stream for what they say about one prompt.
struct AskProgress: Sendable {
  /// A message that moves the ask on.
  enum Event: Sendable {
    /// The agent is loaded.
    case connected(Session, sequence: Int)
    case thinkingSet
    /// The prompt is in the agent's hands.
    case accepted
    case started
    /// The server said no, in its own words.
    case refused(String)
  }

  let sessionID: String
  let clientTurnID: String
  let subscribeID: String
  let thinkingID: String
  let promptID: String
  private(set) var isAccepted = false
  /// The last error that named no request; it explains a stream that then ends.
  private(set) var lastError: String?

  init(sessionID: String, clientTurnID: String, newID: () -> String) {
    self.sessionID = sessionID
    self.clientTurnID = clientTurnID
    subscribeID = newID()
    thinkingID = newID()
    promptID = newID()
  }

  /// Takes a message; `nil` where it does not move the ask on.
  mutating func apply(_ message: ServerMessage) -> Event? {
    guard message.sessionID == nil || message.sessionID == sessionID else { return nil }
    switch message.kind {
    case .connected(let session, let sequence) where session.id == sessionID:
      return .connected(session, sequence: sequence)
    case .commandResult(let result): return apply(result)
    case .turnAcknowledged(let acknowledgement)
    where acknowledgement.clientTurnID == clientTurnID:
      // `accepted` only says that the message was read.
      guard acknowledgement.stage != .accepted || acknowledgement.isDuplicate else { return nil }
      return accept()
    case .agentStart: return isAccepted ? .started : nil
    case .error(let text, _, let isFatal):
      lastError = text.safeLine()
      // Until the prompt is accepted an error may be about anything; its refusal names the request.
      return isAccepted || isFatal ? .refused(text.safeLine()) : nil
    default: return nil
    }
  }

  private mutating func apply(_ result: CommandResult) -> Event? {
    guard let id = result.requestID, [subscribeID, thinkingID, promptID].contains(id) else {
      return nil
    }
    if let failure = result.failure { return .refused(failure.safeLine()) }
    switch id {
    case thinkingID: return .thinkingSet
    case promptID: return accept()
    default: return nil
    }
  }

  private mutating func accept() -> Event? {
    guard !isAccepted else { return nil }
    isAccepted = true
    return .accepted
  }
}
