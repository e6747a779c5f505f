// SPDX-License-Identifier: MIT

extension PromptDelivery {
  /// The messages since the prompt was sent without those of other turns that come before the
  /// prompt's own turn.
  package func ownPart(of messages: [ServerMessage]) -> [ServerMessage] {
    guard !order.isNewSession, let index = messages.firstIndex(where: isOwn) else {
      return messages
    }
    let end = messages[..<index].lastIndex { $0.kind.isWork || $0.kind == .agentEnd }
    return Array(messages[(end.map { $0 + 1 } ?? 0)...])
  }

  private func isOwn(_ message: ServerMessage) -> Bool {
    if case .messageEnd(.user, let text) = message.kind { isOurs(text) } else { false }
  }
}
