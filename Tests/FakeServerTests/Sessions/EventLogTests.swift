// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer

@Suite("EventLog")
struct EventLogTests {
  private func log(of count: Int) -> EventLog {
    var log = EventLog(capacity: 3)
    for _ in 0..<count { _ = log.append(["type": "error"]) }
    return log
  }

  @Test("events are numbered from 1")
  func numbers() {
    var log = EventLog(capacity: 3)
    #expect(log.sequence == 0)
    #expect(log.append(["type": "error"])["seq"] == 1)
    #expect(log.sequence == 1)
  }

  @Test(
    "a replay has the events after a number, or is nil if some were dropped",
    arguments: [(5, []), (4, [5]), (2, [3, 4, 5]), (1, nil), (0, nil), (9, [])]
      as [(Int, [Int]?)]
  )
  func replay(since: Int, expected: [Int]?) {
    #expect(log(of: 5).events(after: since)?.compactMap { $0["seq"].int } == expected)
  }
}
