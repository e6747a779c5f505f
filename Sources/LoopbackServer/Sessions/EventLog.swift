// SPDX-License-Identifier: MIT

import OppiModel

/// The numbered events of one run of an agent, of which the last ones can be replayed.
struct EventLog {
  private let capacity: Int
  private var events: [JSONValue] = []
  /// The number of the latest event, 0 before the first.
  private(set) var sequence = 0

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Numbers and keeps an event; returns it with its number.
  mutating func append(_ event: JSONValue) -> JSONValue {
    sequence += 1
    let numbered = event.adding(["seq": .number(sequence)])
    events.append(numbered)
    if events.count > capacity { events.removeFirst() }
    return numbered
  }

  /// Returns the events after a number; `nil` where some of them are gone.
  ///
  /// A number that has not come yet leaves nothing out.
  func events(after since: Int) -> [JSONValue]? {
    let missed = sequence - since
    guard missed > 0 else { return [] }
    return missed <= events.count ? events.suffix(missed) : nil
  }
}
