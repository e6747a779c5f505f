// SPDX-License-Identifier: MIT

/// The sequence numbers of the session's durable messages.
struct SessionCounter: Sendable {
  /// The sequence number of the last durable message, from which a new subscription resumes.
  private(set) var last = 0
  /// The session's sequence number when the subscription started.
  private var connected = 0
  /// The agent that counts; `nil` on servers that do not name agents.
  private var epoch: String?

  /// Records a durable message; returns whether it is new.
  mutating func take(_ sequence: Int) -> Bool {
    guard sequence > last else { return false }
    last = sequence
    return true
  }

  /// Records the sequence number of a new subscription and the agent that counts; returns whether
  /// that is another agent than before.
  mutating func connect(_ sequence: Int, of epoch: String? = nil) -> Bool {
    let isNamedAnew = self.epoch != nil && epoch != nil && self.epoch != epoch
    let isOther = sequence < max(last, connected) || isNamedAnew
    if isOther { last = 0 }
    connected = sequence
    self.epoch = epoch
    return isOther
  }

  /// Whether a message is older than the subscription.
  func isPast(_ sequence: Int?) -> Bool { sequence.map { $0 <= connected } ?? false }

  /// Marks all messages before the subscription as received.
  mutating func catchUp() { last = max(last, connected) }
}
