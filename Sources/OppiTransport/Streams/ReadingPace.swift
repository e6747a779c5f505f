// SPDX-License-Identifier: MIT

import EventLoop

/// Limits the share of the time that a peer can keep this program busy: after a burst, as long a
/// pause as the work.
struct WorkPace {
  /// The work that is never paused for.
  static let burst = Duration.seconds(1)
  static let share = 0.5

  private var work = Duration.zero
  private(set) var countedAt: EventLoop.Instant?

  mutating func count(_ added: Duration, at now: EventLoop.Instant) {
    let elapsed = countedAt.map { $0.duration(to: now) } ?? .zero
    work = max(.zero, work - elapsed * Self.share) + added
    countedAt = now
  }

  /// When the next work may begin; `nil` if it may begin at once.
  var next: EventLoop.Instant? {
    guard work > Self.burst, let countedAt else { return nil }
    return countedAt + (work - Self.burst) / Self.share
  }
}

/// Limits the share of the processor that a peer can cause with what it sends.
///
/// A peer that sends faster than its bytes can be handled, or in tiny pieces, would use a core for
/// as long as it likes. While reading pauses, the peer is held up by its full socket.
struct ReadingPace {
  /// The least work of a read, however few its bytes.
  private static let leastWork = Duration.microseconds(50)
  /// The most work of a read: what takes longer is a wait for something else.
  private static let mostWork = Duration.milliseconds(250)

  private var pace = WorkPace()

  /// Counts a read; `isBehind` if its bytes were there before this program asked for them.
  mutating func count(isBehind: Bool, askedAt: EventLoop.Instant, at now: EventLoop.Instant) {
    let handling = pace.countedAt.map { $0.duration(to: askedAt) } ?? .zero
    let work = isBehind ? min(max(handling, Self.leastWork), Self.mostWork) : Self.leastWork
    pace.count(work, at: now)
  }

  /// When the next read may begin; `nil` if it may begin at once.
  var nextRead: EventLoop.Instant? { pace.next }
}
