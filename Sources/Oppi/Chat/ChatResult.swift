// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns

extension PromptDelivery.Verdict {
  /// The notice about a message that the agent is not known to have, on one line.
  func notice(of message: Prompt) -> String? {
    let line = "'\(OutgoingMessages.Outgoing(message, isHeld: false).line(limit: 60))'"
    return switch self {
    case .delivered: nil
    // The agent's reason is already shown as the end of a turn.
    case .notSent, .refused(.agentRefused): "not sent: \(line)"
    case .refused(let refusal):
      "not sent: \(line): \(OppiError(refusal, server: "the server").message)"
    case .unknown: "delivery unknown, not resent: \(line)"
    }
  }
}

extension ChatPage {
  /// The page as rows; of a running turn only the prompt, because the rest is shown live.
  func rows(width: Int, look: MarkdownLook = .styled, minus: String = DiffRows.minus)
    -> [StyledText]
  {
    switch self {
    case .turns(let turns, let now):
      let blocks = turns.map { turn in
        turn.isFinished
          ? TurnRows.rows(of: turn, width: width, look: look, now: now)
          : TurnRows.prompt(of: turn, width: width, now: now)
      }
      return Array(blocks.joined(separator: [StyledText()])) + [StyledText()]
    case .call(let call): return CallRows.rows(of: call, width: width, minus: minus)
    case .nothing(let reason): return [StyledText(reason, .dim)]
    }
  }

  /// The page line by line, for a listener; of a running turn only the prompt.
  var lines: [StyledText] {
    guard case .turns(let turns, let now) = self else { return rows(width: 80, minus: "-") }
    return turns.flatMap { turn in
      turn.isFinished
        ? SpokenTurn.lines(of: turn, at: now)
        : turn.prompt.map { SpokenTurn.lines(ofMessage: $0, imageCount: turn.imageCount) } ?? []
    }
  }
}

/// Failures of a chat.
extension OppiError {
  /// A chat that ended before the server confirmed messages; `nil` if there are none.
  ///
  /// The hints contain the texts, which are saved nowhere else.
  init?(undelivered outgoing: [OutgoingMessages.Outgoing], in sessionID: String) {
    let sent = outgoing.filter { !$0.isHeld }
    let held = outgoing.filter(\.isHeld)
    func texts(_ messages: [OutgoingMessages.Outgoing], _ label: String) -> [String] {
      messages.map { "\(label): \($0.line(limit: 4000))" }
    }
    if let line = Self.line(of: sent) {
      self.init(
        .deliveryUnknown,
        "delivery unknown, not resent: \(line)",
        hints: texts(sent, "message") + texts(held, "not sent") + [
          "check the session with: oppi chat --session=\(sessionID)"
        ]
      )
    } else if let line = Self.line(of: held) {
      self.init(
        .serverUnreachable,
        "not sent, the session was unreachable: \(line)",
        hints: texts(held, "message") + ["continue with: oppi chat --session=\(sessionID)"]
      )
    } else {
      return nil
    }
  }

  private static func line(of messages: [OutgoingMessages.Outgoing]) -> String? {
    messages.first.map { message in
      let more = messages.count > 1 ? " and \(messages.count - 1) more" : ""
      return "'\(message.line(limit: 60))'\(more)"
    }
  }
}
