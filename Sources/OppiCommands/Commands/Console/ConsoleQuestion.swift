// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A change that the user is asked about; anything but `y` cancels it.
///
/// Keys before the question was on the screen for a moment are dropped, because they were meant for
/// something else.
struct ConsoleQuestion: Sendable {
  enum Outcome: Sendable, Equatable {
    case waiting
    case cancelled
    case confirmed(ConsoleEffect)
  }

  private let lines: [StyledText]
  private let verb: String
  private let effect: ConsoleEffect
  private var shownAt: Duration?

  /// `lines` are the question and its consequences; `verb` names the change in one or two words.
  init(_ lines: [StyledText], verb: String, _ effect: ConsoleEffect) {
    (self.lines, self.verb, self.effect) = (lines, verb, effect)
  }

  mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// After a stop of the program or another tab, the question counts as new.
  mutating func isShownAgain() { shownAt = nil }

  func take(_ key: Key, at pressed: Duration) -> Outcome {
    guard let shownAt, pressed >= shownAt + ApprovalPolicy.selectionGlance else { return .waiting }
    return key == .text("y") ? .confirmed(effect) : .cancelled
  }

  func view(width: Int) -> ScreenBlock {
    let all = lines + [StyledText("y: \(verb), any other key: cancel", .warning)]
    let folded = all.flatMap { $0.folded(to: max(1, width)) }
    return ScreenBlock(lines: folded, cursor: (folded.count - 1, 0))
  }

  var hints: [KeyHint] {
    [.init(keys: "y", label: verb), .init(keys: "any other key", label: "cancel")]
  }
}
