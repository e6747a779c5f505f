// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A change that needs the word `yes`; any other line cancels it.
struct MenuConfirmation: Sendable {
  let lines: [StyledText]
  let effect: ConsoleEffect
  private var shownAt: Duration?

  init(_ change: ConsoleChange) {
    lines = ([change.question] + change.details + ["type yes; anything else cancels"])
      .map { StyledText($0) }
    effect = change.effect
  }

  mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// Whether a line may confirm the change; `typed` is when it was read.
  func isRead(at typed: Duration) -> Bool {
    shownAt.map { typed >= $0 + ApprovalPolicy.typingPause } ?? false
  }
}
