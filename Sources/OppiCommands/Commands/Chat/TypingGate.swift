// SPDX-License-Identifier: MIT

import OppiRendering

/// Keeps the keys of whoever is writing a message from a panel that has just come in its place.
///
/// What counts is when a key was pressed and when the panel was seen, however late either is taken
/// note of: nothing gets through before the panel has been on the screen, and nobody has typed, for
/// as long as a rest.
struct TypingGate: Sendable {
  /// Nobody who types a message rests for so long.
  static let rest = Duration.seconds(1)

  /// What is said while it is closed.
  static let words = "keys go to your draft; pause for 1 s to answer"

  private let rest: Duration
  private var shownAt: Duration?
  private var typedAt: Duration?
  /// Whether the gate was open when time was told last.
  private(set) var isOpen = false

  /// Makes a closed gate of a panel that nobody has seen.
  init(rest: Duration = Self.rest) {
    self.rest = rest
  }

  private var opensAt: Duration? { shownAt.map { max($0, typedAt ?? $0) + rest } }

  /// Takes it that the panel has been on the screen.
  mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// Takes it that a key was pressed at a moment, and returns whether it is for the panel.
  mutating func lets(at pressed: Duration) -> Bool {
    wait(at: pressed)
    if !isOpen { close(at: pressed) }
    return isOpen
  }

  /// Takes it that time has passed.
  mutating func wait(at now: Duration) { isOpen = opensAt.map { now >= $0 } ?? false }

  /// Takes it that a message is being written.
  mutating func close(at pressed: Duration) {
    isOpen = false
    typedAt = max(typedAt ?? pressed, pressed)
  }
}

/// What a key has come to in a panel.
enum PanelOutcome<Decision: Sendable & Equatable>: Sendable, Equatable {
  case taken
  case confirmed(Decision)
  /// Enter does nothing, and why.
  case unconfirmed(String)
  /// The key belongs to the message that is being written, with what was typed just before.
  case typed(before: String)
}

/// Keeps the Enter of a message that was begun with the letter of a denial from sending the rest of it
/// as the reason: what is typed at once behind that letter has to be confirmed by another Enter.
struct ReasonGuard: Sendable {
  private var openedAt: Duration?
  private var isHasty = false
  private var askedAt: Duration?

  /// Makes the guard of a reason whose field was opened at a moment.
  init(openedAt: Duration? = nil) { self.openedAt = openedAt }

  /// Takes a key.
  mutating func take(_ key: Key, at pressed: Duration) {
    guard let openedAt, case .text = key else { return }
    isHasty = isHasty || pressed < openedAt + TypingGate.rest
    self.openedAt = nil
  }

  /// Takes an Enter, and returns whether it sends the reason.
  mutating func lets(at pressed: Duration) -> Bool {
    guard isHasty else { return true }
    if let askedAt { return pressed >= askedAt + EnterGuard.doublePress }
    askedAt = pressed
    return false
  }
}

/// Keeps an Enter that was meant for a panel from sending the message behind it.
struct EnterGuard: Sendable {
  /// Nobody writes a message in so short a time after a decision.
  static let doublePress = Duration.milliseconds(500)

  private var until: Duration
  /// Whether who goes on typing still means what has gone.
  private let isMoved: Bool

  init(until: Duration, isMoved: Bool) {
    (self.until, self.isMoved) = (until, isMoved)
  }

  /// Whether an Enter is for the message again.
  func isOver(at now: Duration) -> Bool { now >= until }

  /// Takes a key, and returns whether it is an Enter that sends nothing.
  mutating func stops(_ key: Key, at pressed: Duration) -> Bool {
    guard pressed < until else { return false }
    if isMoved { until = pressed + TypingGate.rest }
    return key == .enter
  }
}
