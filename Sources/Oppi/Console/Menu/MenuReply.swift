// SPDX-License-Identifier: MIT

import OppiModel

/// A message to a session, which is the next line of the user.
struct MenuReply: Sendable {
  let id: BoardSession.ID
  private var shownAt: Duration?

  init(to id: BoardSession.ID) { self.id = id }

  mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// Whether a line was typed for the message, and not for something before it.
  func isMeant(at typed: Duration) -> Bool {
    shownAt.map { typed >= $0 + ApprovalPolicy.typingPause } ?? false
  }
}
