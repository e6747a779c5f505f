// SPDX-License-Identifier: MIT

import EventLoop
import Testing

@testable import OppiTurns

@Suite struct TerminalPaceTests {
  private static let begin = EventLoop.Instant(elapsed: .seconds(100))

  /// A line that passes some bytes a second after a time for the way there and back.
  struct Line {
    var bytesPerSecond: Int
    var latency: Duration
    private var freeAt = TerminalPaceTests.begin

    init(_ bytesPerSecond: Int, _ latency: Duration) {
      (self.bytesPerSecond, self.latency) = (bytesPerSecond, latency)
    }

    /// When the terminal's answer to bytes arrives.
    mutating func pass(_ bytes: Int, from now: EventLoop.Instant) -> EventLoop.Instant {
      freeAt = max(freeAt, now) + .seconds(1) * (Double(bytes) / Double(bytesPerSecond))
      return freeAt + latency
    }
  }

  @Test(
    "a line gets at once what it passes in a twentieth of a second, or on the way there and back",
    arguments: [
      (Line(500, .milliseconds(1)), 128...128), (Line(2000, .milliseconds(1)), 128...260),
      (Line(2000, .seconds(1)), 1900...4100), (Line(20_000, .milliseconds(1)), 950...2100),
      (Line(20_000, .seconds(1)), 19_000...41_000),
      (Line(100_000_000, .zero), 65536...65536),
      (Line(100_000_000, .milliseconds(300)), 65536...65536),
    ]
  )
  func window(line: Line, rooms: ClosedRange<Int>) {
    var (pace, line, now) = (TerminalPace(), line, Self.begin)
    // A small part tells the way there and back.
    for bytes in [20] + Array(repeating: Int.max, count: 20) {
      let bytes = min(bytes, pace.room(at: now))
      _ = pace.ask(after: bytes, at: now)
      now = line.pass(bytes, from: now)
      pace.receive(.status, at: now)
    }
    #expect(rooms.contains(pace.room(at: now)), "\(pace.room(at: now))")
  }

  @Test("small parts on a slow line do not make room for large ones")
  func smallParts() {
    var (pace, line, now) = (TerminalPace(), Line(2000, .zero), Self.begin)
    for bytes in [20, 4000] + Array(repeating: 50, count: 100) {
      _ = pace.ask(after: bytes, at: now)
      now = line.pass(bytes, from: now)
      pace.receive(.status, at: now)
    }
    #expect(pace.room(at: now) < 300)
  }

  @Test("what waits on the line takes room, which an answer gives back")
  func room() {
    var pace = TerminalPace()
    let all = pace.room(at: Self.begin)
    _ = pace.ask(after: 1000, at: Self.begin)
    _ = pace.ask(after: 500, at: Self.begin)
    #expect(pace.room(at: Self.begin) == all - 1500)
    pace.receive(.status, at: Self.begin)
    #expect(pace.room(at: Self.begin) == all - 500)
    _ = pace.ask(after: all, at: Self.begin)
    #expect(pace.room(at: Self.begin) == 0)
  }

  @Test("a terminal that does not answer for half a second is silent: it is not asked again")
  func silent() {
    var pace = TerminalPace()
    #expect(!pace.ask(after: 10, at: Self.begin).isEmpty)
    for (time, isSilent) in [(0, false), (499, false), (500, true), (100_000, true)] {
      let now = Self.begin + .milliseconds(time)
      #expect(pace.isBehind(at: now) == !isSilent && pace.isConfirmed(at: now) == isSilent)
      #expect((pace.room(at: now) == .max) == isSilent, "\(time)")
    }
    let late = Self.begin + .seconds(1)
    #expect(pace.ask(after: 10, at: late).isEmpty)
    pace.receive(.status, at: late)
    #expect(!pace.ask(after: 10, at: late).isEmpty && pace.isBehind(at: late))
  }

  @Test("a terminal that has answered the question of the start is not silent on a slow line")
  func start() {
    var pace = TerminalPace()
    pace.expect(.attributes, after: 14, at: Self.begin)
    pace.receive(.attributes, at: Self.begin + .milliseconds(25))
    _ = pace.ask(after: 5000, at: Self.begin + .milliseconds(30))
    let now = Self.begin + .seconds(2)
    #expect(pace.isBehind(at: now) && !pace.isConfirmed(at: now))
    pace.receive(.status, at: Self.begin + .milliseconds(2530))
    // 5000 bytes in 2.5 seconds.
    #expect((128...128).contains(pace.room(at: Self.begin + .seconds(3))))
  }

  @Test("without an answer for five seconds, more is written, and nothing is confirmed")
  func late() {
    var pace = TerminalPace()
    _ = pace.ask(after: 10, at: Self.begin)
    pace.receive(.status, at: Self.begin)
    _ = pace.ask(after: 100_000, at: Self.begin)
    for (time, isLate) in [(999, false), (1000, false), (4999, false), (5000, true)] {
      let now = Self.begin + .milliseconds(time)
      #expect(pace.isBehind(at: now) != isLate && (pace.room(at: now) > 0) == (time >= 1000))
      #expect(!pace.isConfirmed(at: now))
    }
    // An answer was lost: what is asked now has another answer, so that a late one confirms nothing.
    let now = Self.begin + .seconds(5)
    #expect(pace.ask(after: 10, at: now) == Array("\u{1B}[c".utf8))
    #expect(pace.isBehind(at: now + .milliseconds(4999)) && !pace.isBehind(at: now + .seconds(5)))
    pace.receive(.status, at: now)
    #expect(!pace.isConfirmed(at: now))
    pace.receive(.attributes, at: now)
    #expect(pace.isConfirmed(at: now))
    #expect(pace.ask(after: 10, at: now) == Array("\u{1B}[c".utf8))
  }

  @Test("an answer is also that of what was asked before, because terminals answer in order")
  func unanswered() {
    var pace = TerminalPace()
    pace.expect(.attributes, after: 14, at: Self.begin)
    _ = pace.ask(after: 100, at: Self.begin)
    _ = pace.ask(after: 100, at: Self.begin)
    pace.receive(.status, at: Self.begin)
    #expect(!pace.isConfirmed(at: Self.begin))
    pace.receive(.attributes, at: Self.begin)
    #expect(!pace.isConfirmed(at: Self.begin))
    pace.receive(.status, at: Self.begin)
    #expect(pace.isConfirmed(at: Self.begin))
  }

  @Test("nothing is awaited after another program had the terminal")
  func forget() {
    var pace = TerminalPace()
    _ = pace.ask(after: 10, at: Self.begin)
    pace.forget()
    #expect(pace.isConfirmed(at: Self.begin) && !pace.isBehind(at: Self.begin))
    // An answer that nobody asked for.
    pace.receive(.status, at: Self.begin)
    #expect(pace.isConfirmed(at: Self.begin))
  }
}
