// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("ClockOffset")
struct ClockOffsetTests {
  private static func offset(date: Int, sent: Int, received: Int) -> Int {
    ClockOffset.estimate(
      date: Timestamp(milliseconds: date),
      sentAt: Timestamp(milliseconds: sent),
      receivedAt: Timestamp(milliseconds: received)
    ).milliseconds
  }

  @Test("clocks that may agree have no difference", arguments: [0, 1, 500, 999])
  func agree(fraction: Int) {
    #expect(Self.offset(date: 5000, sent: 5000 + fraction, received: 5000 + fraction) == 0)
  }

  @Test("a slow answer makes a larger difference possible")
  func slow() {
    #expect(Self.offset(date: 8000, sent: 5000, received: 8000) == 0)
    #expect(Self.offset(date: 8001, sent: 5000, received: 8000) != 0)
    #expect(Self.offset(date: 5000, sent: 5999, received: 9000) == 0)
    #expect(Self.offset(date: 5000, sent: 6000, received: 9000) != 0)
  }

  @Test("a difference is known to half a second")
  func differ() {
    #expect(Self.offset(date: 65_000, sent: 5000, received: 5000) == 60_499)
    #expect(Self.offset(date: 5000, sent: 65_000, received: 65_000) == -59_500)
  }

  @Test("a server's time is compared with the middle of the round trip")
  func middle() {
    let offset = ClockOffset.estimate(
      serverTime: 7000,
      sentAt: Timestamp(milliseconds: 5000),
      receivedAt: Timestamp(milliseconds: 6000)
    )
    #expect(offset == .milliseconds(1500))
  }

  @Test("extreme times do not trap", arguments: [Int.min, -1, 0, Int.max])
  func extreme(number: Int) {
    let far = Timestamp(milliseconds: number)
    for other in [Timestamp(milliseconds: .min), Timestamp(milliseconds: .max)] {
      _ = ClockOffset.estimate(date: far, sentAt: other, receivedAt: other)
      _ = ClockOffset.estimate(serverTime: number, sentAt: other, receivedAt: other)
    }
  }
}
