// SPDX-License-Identifier: MIT

import OppiModel
package import OppiTerminal

/// Keeps keys that are meant for the draft from a panel that just replaced it.
///
/// Uses the times of key presses and of the panel's first display, however late they are handled. A
/// key passes only after the panel was visible without typing for the length of a pause.
package struct TypingGate: Sendable {
  package static let rest = ApprovalPolicy.typingPause

  /// What opens a closed gate.
  package static let opening = "pause for 1 s to answer"

  /// The notice while the gate of a panel above a draft is closed.
  static let words = "keys go to your draft; \(opening)"

  /// The notice about a line that came before the gate was open.
  static let tooEarly =
    "not decided: typed less than 1 second after the text; wait, then type it again"

  private let rest: Duration
  private var shownAt: Duration?
  private var typedAt: Duration?
  /// As of the last call with a time.
  package private(set) var isOpen = false

  package init(rest: Duration = Self.rest) {
    self.rest = rest
  }

  private var opensAt: Duration? { shownAt.map { max($0, typedAt ?? $0) + rest } }

  /// Records that the panel was on the screen.
  package mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// Returns whether a key pressed at this time is for the panel; otherwise counts it as typing.
  package mutating func lets(at pressed: Duration) -> Bool {
    wait(at: pressed)
    if !isOpen { close(at: pressed) }
    return isOpen
  }

  /// Updates the state to a time.
  package mutating func wait(at now: Duration) { isOpen = opensAt.map { now >= $0 } ?? false }

  /// Counts a key press as typing.
  package mutating func close(at pressed: Duration) {
    isOpen = false
    typedAt = max(typedAt ?? pressed, pressed)
  }
}

/// What is selected on the screen: Enter confirms it only after it was visible as selected.
package struct ShownSelection<Value: Equatable & Sendable>: Sendable {
  package private(set) var value: Value?
  /// When the present value was first on the screen.
  private var shownAt: Duration?

  package init() {}

  package mutating func select(_ value: Value?) {
    if self.value != value { shownAt = nil }
    self.value = value
  }

  package mutating func wasShown(at now: Duration) {
    if value != nil { shownAt = shownAt ?? now }
  }

  /// Whether the selection was on the screen for long enough.
  package func isSeen(at now: Duration) -> Bool {
    shownAt.isSeen(for: ApprovalPolicy.selectionGlance, at: now)
  }
}

extension Duration? {
  /// Whether a moment is at least `time` after this one, when something was first on the screen.
  package func isSeen(for time: Duration = ApprovalPolicy.typingPause, at moment: Duration) -> Bool
  {
    map { moment >= $0 + time } ?? false
  }
}

/// The reason of a denial, while it is typed.
///
/// Protects a draft that starts with the letter of a denial: text typed at once after that letter
/// needs a second Enter before it is sent as the reason.
package struct ReasonField: Sendable {
  package private(set) var composer = Composer()
  private var openedAt: Duration?
  private var isHasty = false
  private var askedAt: Duration?

  /// `openedAt` is when the field was opened by a key.
  init(openedAt: Duration? = nil) { self.openedAt = openedAt }

  mutating func clear() { composer = Composer() }

  mutating func take(_ key: Key, at pressed: Duration) -> ComposerAction? {
    if let openedAt, case .text = key {
      isHasty = isHasty || pressed < openedAt + TypingGate.rest
      self.openedAt = nil
    }
    return composer.apply(key)
  }

  /// Handles an Enter, and returns whether it sends the text; if not, the text stays.
  mutating func lets(_ text: String, at pressed: Duration) -> Bool {
    guard isHasty else { return true }
    if let askedAt, pressed >= askedAt + EnterGuard.doublePress { return true }
    askedAt = askedAt ?? pressed
    composer.replace(text)
    return false
  }
}

/// Keeps an Enter that was meant for a panel from sending the draft.
package struct EnterGuard: Sendable {
  package static let doublePress = ApprovalPolicy.doublePress

  private var until: Duration
  /// Whether each key extends the protection, for a user who still types for the panel.
  private let isMoved: Bool

  package init(until: Duration, isMoved: Bool) {
    (self.until, self.isMoved) = (until, isMoved)
  }

  /// Whether Enter sends the draft again.
  package func isOver(at now: Duration) -> Bool { now >= until }

  /// Returns whether a key is an Enter that sends nothing.
  package mutating func stops(_ key: Key, at pressed: Duration) -> Bool {
    guard pressed < until else { return false }
    if isMoved { until = pressed + TypingGate.rest }
    return key == .enter
  }
}
