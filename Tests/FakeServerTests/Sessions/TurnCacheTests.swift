// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer

@Suite("TurnCache")
struct TurnCacheTests {
  @Test("a repeat reports the turn's stage, and another payload is a conflict")
  func verdicts() {
    var cache = TurnCache(capacity: 2)
    #expect(cache.register("a", payload: "one") == .new)
    #expect(cache.register("a", payload: "one") == .duplicate(.accepted))
    cache.advance("a", to: .started)
    #expect(cache.register("a", payload: "one") == .duplicate(.started))
    #expect(cache.register("a", payload: "two") == .conflict)
  }

  @Test("the least recently used turn is dropped first")
  func capacity() {
    var cache = TurnCache(capacity: 2)
    _ = cache.register("a", payload: 1)
    _ = cache.register("b", payload: 1)
    _ = cache.register("a", payload: 1)
    _ = cache.register("c", payload: 1)
    #expect(cache.register("a", payload: 1) == .duplicate(.accepted))
    #expect(cache.register("b", payload: 1) == .new)
  }
}
