// SPDX-License-Identifier: MIT

/// How far the session's durable messages have been heard, by the server's own count.
struct SessionCounter: Sendable {
  /// The counter of the last durable message, from which a new subscription goes on.
  private(set) var last = 0
  /// The session's counter when the subscription began.
  private var connected = 0

  /// Takes a durable message, and returns whether it is news.
  mutating func take(_ sequence: Int) -> Bool {
    guard sequence > last else { return false }
    last = sequence
    return true
  }

  /// Takes the counter of a new subscription, and returns whether it has fallen back, because the
  /// session's agent was started anew.
  mutating func connect(_ sequence: Int) -> Bool {
    let hasFallenBack = sequence < max(last, connected)
    if hasFallenBack { last = 0 }
    connected = sequence
    return hasFallenBack
  }

  /// Takes it that all messages before the subscription are made up for.
  mutating func catchUp() { last = max(last, connected) }
}
