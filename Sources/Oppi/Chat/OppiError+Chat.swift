// SPDX-License-Identifier: MIT

import OppiModel

/// Failures of a chat.
extension OppiError {
  static let terminalNeeded = OppiError(
    .usage,
    "this command requires a terminal",
    hints: ["without a terminal use: oppi ask, or oppi launch --print"]
  )

  static func unconfirmedAction(in sessionID: String) -> OppiError {
    OppiError(
      .deliveryUnknown,
      "could not confirm your last decision, answer or stop",
      hints: ["check the session with: oppi chat --session=\(sessionID)"]
    )
  }

  /// A chat that ended before the server confirmed messages; `nil` if there are none.
  ///
  /// The hints contain the texts, which are saved nowhere else.
  ///
  /// - Parameters:
  ///   - sent: Messages that were sent, but not confirmed.
  ///   - held: Messages that were not sent.
  ///   - sessionID: The session of the chat.
  init?(unconfirmed sent: [String], notSent held: [String], in sessionID: String) {
    func texts(_ messages: [String], _ label: String) -> [String] {
      messages.map { "\(label): \($0.safeLine(limit: 4000))" }
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

  private static func line(of messages: [String]) -> String? {
    messages.first.map { message in
      let more = messages.count > 1 ? " and \(messages.count - 1) more" : ""
      return "'\(message.safeLine(limit: 60))'\(more)"
    }
  }
}
