// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A change that needs the word `yes`; any other line cancels it.
struct MenuConfirmation: Sendable {
  let lines: [StyledText]
  let effect: ConsoleEffect
  private var shownAt: Duration?

  /// `lines` are the question and its consequences.
  init(_ lines: [String], _ effect: ConsoleEffect) {
    self.lines = lines.map { StyledText($0) } + [StyledText("type yes; anything else cancels")]
    self.effect = effect
  }

  mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// Whether a line confirms the change; `typed` is when it was read.
  func isConfirmed(by line: String, at typed: Duration) -> Bool {
    guard let shownAt, typed >= shownAt + ApprovalPolicy.typingPause else { return false }
    return line == "yes"
  }
}
