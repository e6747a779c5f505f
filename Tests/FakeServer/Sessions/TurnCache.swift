// SPDX-License-Identifier: MIT

import OppiModel

/// The turns received from clients, so that a repeat is recognised and not run again.
struct TurnCache {
  enum Stage: String {
    case accepted
    case dispatched
    case started
  }

  enum Verdict: Equatable {
    case new
    case duplicate(Stage)
    /// The ID was used with other contents.
    case conflict
  }

  private struct Entry {
    let payload: JSONValue
    var stage: Stage
  }

  private let capacity: Int
  private var entries: [String: Entry] = [:]
  /// The IDs, least recently used first.
  private var order: [String] = []

  init(capacity: Int) {
    self.capacity = capacity
  }

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

  /// The verdict on a turn, without registering it.
  func verdict(on id: String, payload: JSONValue) -> Verdict {
    guard let known = entries[id] else { return .new }
    return known.payload == payload ? .duplicate(known.stage) : .conflict
  }

  mutating func advance(_ id: String, to stage: Stage) {
    entries[id]?.stage = stage
  }
}
