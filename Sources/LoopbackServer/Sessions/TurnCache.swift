// SPDX-License-Identifier: MIT

import OppiModel

/// The turns that clients sent, so that a repeat is recognised and does not run again.
struct TurnCache {
  /// How far a turn has come.
  enum Stage: String {
    case accepted
    case dispatched
    case started
  }

  enum Verdict: Equatable {
    case new
    case duplicate(Stage)
    /// The id was used for something else.
    case conflict
  }

  private struct Entry {
    let payload: JSONValue
    var stage: Stage
  }

  private let capacity: Int
  private var entries: [String: Entry] = [:]
  /// The ids, the one that was used longest ago first.
  private var order: [String] = []

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Remembers a turn unless it is known already.
  mutating func register(_ id: String, payload: JSONValue) -> Verdict {
    order.removeAll { $0 == id }
    order.append(id)
    if let known = entries[id] {
      return known.payload == payload ? .duplicate(known.stage) : .conflict
    }
    entries[id] = Entry(payload: payload, stage: .accepted)
    if order.count > capacity { entries[order.removeFirst()] = nil }
    return .new
  }

  mutating func advance(_ id: String, to stage: Stage) {
    entries[id]?.stage = stage
  }
}
