// SPDX-License-Identifier: MIT

/// Keeps the keys of whoever is writing a message from a panel that has just come in its place.
///
/// Nothing gets through before a second has passed without a key.
struct TypingGate: Sendable {
  /// Nobody who types a message rests for so long.
  static let rest = Duration.seconds(1)

  private var opensAt: Duration
  private(set) var isOpen = false

  /// Makes a closed gate at a moment since some beginning.
  init(at now: Duration) {
    opensAt = now + Self.rest
  }

  /// Takes it that a key was pressed, and returns whether it is for the panel.
  mutating func lets(at now: Duration) -> Bool {
    isOpen = isOpen || now >= opensAt
    if !isOpen { close(at: now) }
    return isOpen
  }

  /// Takes it that time has passed.
  mutating func wait(at now: Duration) { isOpen = isOpen || now >= opensAt }

  /// Takes it that a message is being written.
  mutating func close(at now: Duration) {
    isOpen = false
    opensAt = now + Self.rest
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
