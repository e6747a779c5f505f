// SPDX-License-Identifier: MIT

/// The sequence numbers of the session's durable messages.
struct SessionCounter: Sendable {
  /// The sequence number of the last durable message, from which a new subscription resumes.
  private(set) var last = 0
  /// The session's sequence number when the subscription started.
  private var connected = 0

  /// Records a durable message; returns whether it is new.
  mutating func take(_ sequence: Int) -> Bool {
    guard sequence > last else { return false }
    last = sequence
    return true
  }

  /// Records the sequence number of a new subscription; returns whether it has decreased, which
  /// means that the session's agent was restarted.
  mutating func connect(_ sequence: Int) -> Bool {
    let hasFallenBack = sequence < max(last, connected)
    if hasFallenBack { last = 0 }
    connected = sequence
    return hasFallenBack
  }

  /// Marks all messages before the subscription as received.
  mutating func catchUp() { last = max(last, connected) }
}
