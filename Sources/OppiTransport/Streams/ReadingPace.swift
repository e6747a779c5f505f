// SPDX-License-Identifier: MIT

import EventLoop

/// Limits the share of the processor that a peer can cause with what it sends.
///
/// A peer that sends faster than its bytes can be handled, or in tiny pieces, would use a core for
/// as long as it likes. After a burst, reading pauses as long as it has worked; meanwhile the peer
/// is held up by its full socket.
struct ReadingPace {
  /// The work that is never paused for.
  static let burst = Duration.seconds(1)
  /// The share of the time that a peer can keep this program busy.
  private static let share = 0.5
  /// The least work of a read, however few its bytes.
  private static let leastWork = Duration.microseconds(50)
  /// The most work of a read: what takes longer is a wait for something else.
  private static let mostWork = Duration.milliseconds(250)

  private var work = Duration.zero
  private var countedAt: EventLoop.Instant?
  private var readAt: EventLoop.Instant?

  /// Counts a read; `isBehind` if its bytes were there before this program asked for them.
  mutating func count(isBehind: Bool, askedAt: EventLoop.Instant, at now: EventLoop.Instant) {
    let handling = readAt.map { $0.duration(to: askedAt) } ?? .zero
    let elapsed = countedAt.map { $0.duration(to: now) } ?? .zero
    let added = isBehind ? min(max(handling, Self.leastWork), Self.mostWork) : Self.leastWork
    work = max(.zero, work - elapsed * Self.share) + added
    (countedAt, readAt) = (now, now)
  }

  /// When the next read may begin; `nil` if it may begin at once.
  var nextRead: EventLoop.Instant? {
    guard work > Self.burst, let countedAt else { return nil }
    return countedAt + (work - Self.burst) / Self.share
  }
}
