// SPDX-License-Identifier: MIT

import OppiModel

/// The numbered events of one run of an agent; the last ones can be replayed.
struct EventLog {
  private let capacity: Int
  private var events: [JSONValue] = []
  /// The number of the latest event; 0 before the first.
  private(set) var sequence = 0

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Numbers and stores an event; returns it with its number.
  mutating func append(_ event: JSONValue) -> JSONValue {
    sequence += 1
    let numbered = event.adding(["seq": .number(sequence)])
    events.append(numbered)
    if events.count > capacity { events.removeFirst() }
    return numbered
  }

  /// Returns the events after a number; `nil` if some of them are no longer stored.
  ///
  /// A future number returns no events.
  func events(after since: Int) -> [JSONValue]? {
    let missed = sequence - since
    guard missed > 0 else { return [] }
    return missed <= events.count ? events.suffix(missed) : nil
  }
}
