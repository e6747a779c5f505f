// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct SessionCounterTests {
  private var counter = SessionCounter()

  @Test("a message that comes a second time is no news")
  mutating func repeats() {
    #expect(counter.take(3) == true)
    #expect(counter.take(3) == false)
    #expect(counter.take(2) == false)
    #expect(counter.last == 3)
  }

  @Test("a counter that falls back begins anew")
  mutating func fallsBack() {
    _ = counter.take(7)
    #expect(counter.connect(7) == false)
    #expect(counter.connect(2) == true)
    #expect(counter.take(1) == true)
  }

  @Test("what was missed before the subscription is made up for at once")
  mutating func catchesUp() {
    #expect(counter.connect(5) == false)
    counter.catchUp()
    #expect(counter.take(5) == false)
    #expect(counter.take(6) == true)
  }

  @Test("a counter has fallen back if it is below the last message or the last subscription")
  mutating func edges() {
    _ = counter.take(7)
    #expect(counter.connect(7) == false && counter.last == 7)
    #expect(counter.connect(9) == false)
    #expect(counter.connect(8) == true, "it was at 9 before")
    #expect(counter.last == 0)
    _ = counter.take(9)
    #expect(counter.connect(8) == true, "9 was heard")
  }
}
