// SPDX-License-Identifier: MIT

extension PromptDelivery {
  /// The messages since the prompt was sent without those of other turns that come before the
  /// prompt's own turn.
  ///
  /// If the stream was lost before the prompt's own message, its turn is known to begin after the
  /// last turn that had ended when the server accepted the prompt.
  package func ownPart(of messages: [ServerMessage]) -> [ServerMessage] {
    guard !order.isNewSession else { return messages }
    let end: Int?
    if let index = messages.firstIndex(where: isOwn) {
      end = messages[..<index].lastIndex { $0.kind.isWork || $0.kind == .agentEnd }
    } else {
      let acceptance = messages.firstIndex(where: isAcceptance) ?? 0
      end = messages[..<acceptance].lastIndex { $0.kind == .agentEnd }
    }
    return Array(messages[(end.map { $0 + 1 } ?? 0)...])
  }

  func isOwn(_ message: ServerMessage) -> Bool {
    if case .messageEnd(.user, let text) = message.kind { isOurs(text) } else { false }
  }

  private func isAcceptance(_ message: ServerMessage) -> Bool {
    switch message.kind {
    case .turnAcknowledged(let acknowledgement): acknowledgement.clientTurnID == clientTurnID
    case .commandResult(let result): result.requestID == requestID(.prompt)
    default: false
    }
  }
}
