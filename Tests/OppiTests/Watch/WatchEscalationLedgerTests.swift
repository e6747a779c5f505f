// SPDX-License-Identifier: MIT

import OppiModel
import TestSupport
import Testing

@testable import Oppi

/// When a watch records the pending requests.
@Suite struct WatchEscalationLedgerTests {
  private static func keys(_ numbers: Range<Int>) -> [EscalationKey] {
    numbers.map { number in
      let question = UserQuestion(id: "q\(number)", method: "confirm", body: ["title": "Proceed?"])
      return EscalationKey(.question(question), of: FleetLife.serverID(1))
    }
  }

  @Test("an unknown request is recorded, unless as many pending ones as possible are known")
  func lacks() {
    let limit = EscalationLedger.limit
    var ledger = EscalationLedger()
    #expect(!ledger.lacks([]) && ledger.lacks(Self.keys(0..<1)))
    ledger.note(Self.keys(0..<limit), at: .noon)
    #expect(!ledger.lacks(Self.keys(0..<limit)))
    #expect(!ledger.lacks(Self.keys(0..<limit + 1)), "it has no room")
    #expect(ledger.lacks(Self.keys(1..<limit + 1)), "a request that is gone makes room")
    ledger.note(Self.keys(1..<limit + 1), at: .noon)
    #expect(!ledger.lacks(Self.keys(1..<limit + 1)))
  }
}
