// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct SessionCounterTests {
  private var counter = SessionCounter()

  @Test("a repeated message is not new")
  mutating func repeats() {
    #expect(counter.take(3) == true)
    #expect(counter.take(3) == false)
    #expect(counter.take(2) == false)
    #expect(counter.last == 3)
  }

  @Test("a lower counter restarts the count")
  mutating func fallsBack() {
    _ = counter.take(7)
    #expect(counter.connect(7) == false)
    #expect(counter.connect(2) == true)
    #expect(counter.take(1) == true)
  }

  @Test("catching up skips all messages before the subscription")
  mutating func catchesUp() {
    #expect(counter.connect(5) == false)
    counter.catchUp()
    #expect(counter.take(5) == false)
    #expect(counter.take(6) == true)
  }

  @Test("a counter is reset if it is below the last message or the last subscription")
  mutating func edges() {
    _ = counter.take(7)
    #expect(counter.connect(7) == false && counter.last == 7)
    #expect(counter.connect(9) == false)
    #expect(counter.connect(8) == true, "the counter was 9 before")
    #expect(counter.last == 0)
    _ = counter.take(9)
    #expect(counter.connect(8) == true, "9 was heard")
  }
}
