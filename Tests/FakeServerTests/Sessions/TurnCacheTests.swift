// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("TurnCache")
struct TurnCacheTests {
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
