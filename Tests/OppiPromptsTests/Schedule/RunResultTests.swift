// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import OppiClient

/// The result of a scheduled run of several turns.
@Suite struct RunResultTests {
  private static func result(_ state: String, _ session: String?, _ cost: String?) -> RunResult {
    RunResult(state: state, sessionID: session, cost: cost.flatMap { Dollars($0) })
  }

  @Test("a chain has the state and the session of its last turn, and the cost of all turns")
  func chain() {
    let first = Self.result("finished", "A", "1")
    #expect(first.followed(by: Self.result("failed", "B", "2")) == Self.result("failed", "B", "3"))
    #expect(first.followed(by: Self.result("failed", nil, nil)) == Self.result("failed", "A", "1"))
    let free = Self.result("finished", "A", nil)
    #expect(free.followed(by: Self.result("finished", "B", nil)).cost == nil)
    // A local model costs nothing, which is known.
    #expect(free.followed(by: Self.result("finished", "B", "0")).cost == Dollars.zero)
  }

  @Test("a turn that did not follow, or was skipped, changes nothing")
  func nothing() {
    let first = Self.result("finished", "A", "1")
    #expect(first.followed(by: nil) == first)
    #expect(first.followed(by: Self.result(ScheduleRun.State.skipped, "B", "2")) == first)
  }
}
