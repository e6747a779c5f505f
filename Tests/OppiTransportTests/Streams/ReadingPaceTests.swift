// SPDX-License-Identifier: MIT

import EventLoop
import Testing

@testable import OppiTransport

@Suite("The pace of reading")
struct ReadingPaceTests {
  /// The share of a minute that a peer keeps the program busy, whose reads each take `work`; after a
  /// `gap` the next bytes are there.
  private static func share(
    of work: Duration,
    gap: Duration = .zero,
    at pace: ReadingPace = ReadingPace()
  ) -> Double {
    var pace = pace
    let begin = EventLoop.Instant(elapsed: .seconds(100))
    let end = begin + .seconds(60)
    var now = begin
    var busy = Duration.zero
    while now < end {
      let asked = now
      if let next = pace.nextRead, next > now { now = next }
      now = now + gap
      pace.count(isBehind: gap == .zero, askedAt: asked, at: now)
      now = now + work
      busy += work
    }
    return busy / begin.duration(to: now)
  }

  @Test(
    "a peer that always has more bytes uses about half of the time",
    arguments: [Duration.milliseconds(1), .milliseconds(20), .milliseconds(200)]
  )
  func behind(work: Duration) {
    let share = Self.share(of: work)
    #expect((0.4...0.55).contains(share), "\(share)")
  }

  @Test(
    "a peer that sends messages without end uses at most a fifth of the time, with the first burst",
    arguments: [Duration.milliseconds(1), .milliseconds(20), .milliseconds(200)]
  )
  func unending(work: Duration) {
    let share = Self.share(of: work, at: .ofUnendingStream)
    #expect((0.1...0.2).contains(share), "\(share)")
  }

  @Test("tiny pieces are read together")
  func pieces() {
    #expect(Self.share(of: .microseconds(40), gap: .microseconds(1)) < 0.55)
  }

  @Test("a peer whose bytes are awaited is never paused for, however long they take")
  func awaited() {
    var pace = ReadingPace()
    var now = EventLoop.Instant(elapsed: .seconds(100))
    for _ in 0..<10_000 {
      pace.count(isBehind: false, askedAt: now, at: now)
      #expect(pace.nextRead == nil)
      now = now + .milliseconds(10)
    }
  }

  @Test("a burst is read without a pause, and a rest allows the next one")
  func bursts() {
    var pace = ReadingPace()
    var now = EventLoop.Instant(elapsed: .seconds(100))
    for _ in 0..<3 {
      for _ in 0..<10 {
        pace.count(isBehind: true, askedAt: now, at: now)
        now = now + .milliseconds(50)
      }
      #expect(pace.nextRead == nil)
      now = now + .seconds(10)
    }
  }

  @Test("a long wait for something else counts as little work")
  func elsewhere() {
    var pace = ReadingPace()
    let begin = EventLoop.Instant(elapsed: .seconds(100))
    pace.count(isBehind: true, askedAt: begin, at: begin)
    let later = begin + .seconds(3600)
    pace.count(isBehind: true, askedAt: later, at: later)
    #expect(pace.nextRead == nil)
  }
}
