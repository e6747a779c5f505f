// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiModel

/// Properties of the whole console, for keys, pastes, sizes and answers in any order.
@Suite struct ConsoleSafetyTests {
  private static let actions = 400

  @Test("without Enter nothing is decided, sent, stopped, switched, revoked or removed")
  func withoutEnter() {
    for seed in rounds(5, of: 15) {
      var monkey = ConsoleMonkey(seed: UInt64(seed), pressesEnter: false)
      for step in 0..<Self.actions {
        let changed = monkey.act().compactMap(\.changed)
        #expect(changed.isEmpty, "seed \(seed), step \(step)")
        monkey.look()
      }
    }
  }

  @Test("Enter changes only what has been in front of the user for a second")
  func withEnter() {
    var kinds: Set<Substring> = []
    for seed in 0..<25 {
      var monkey = ConsoleMonkey(seed: UInt64(seed), pressesEnter: true)
      for step in 0..<Self.actions {
        let seen = monkey.subject
        for changed in monkey.act().compactMap(\.changed) {
          let time = seen.map { monkey.desk.now - $0.since } ?? .zero
          #expect(seen?.target == changed && time >= .seconds(1), "seed \(seed), step \(step)")
          kinds.insert(changed.prefix { $0 != " " })
        }
        monkey.look()
      }
    }
    let all: Set<Substring> = [
      "request", "session", "schedule", "device", "rule", "server", "chat",
    ]
    #expect(kinds == all, "each kind of change must happen, or the rule is not put to the test")
  }
}
