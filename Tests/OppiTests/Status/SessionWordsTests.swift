// SPDX-License-Identifier: MIT

import OppiModel
import TestSupport
import Testing

@testable import Oppi

/// The columns of a session in a list.
@Suite struct SessionWordsTests {
  @Test(
    "a cost is in dollars and cents, rounded, and left out below half a cent",
    arguments: [
      (nil, ""), (0.004, ""), (0.005, "$0.01"), (1.1, "$1.10"), (1.996, "$2.00"),
      (12.05, "$12.05"),
    ] as [(Double?, String)]
  )
  func cost(cost: Double?, text: String) {
    var session = SessionStatus.sample("a", .idle)
    session.cost = cost
    #expect(session.costText == text)
  }
}
