// SPDX-License-Identifier: MIT

extension EventLoop {
  /// A moment on the clock of deadlines, which goes on while the machine sleeps.
  package struct Instant: InstantProtocol, Sendable {
    /// The time since a moment that is the same for all instants of one kernel.
    package let elapsed: Duration

    package init(elapsed: Duration) {
      self.elapsed = elapsed
    }

    /// A moment before all others.
    package static let past = Instant(elapsed: .seconds(Int64.min))

    package func advanced(by duration: Duration) -> Instant {
      Instant(elapsed: elapsed + duration)
    }

    package func duration(to other: Instant) -> Duration { other.elapsed - elapsed }

    package static func + (moment: Instant, duration: Duration) -> Instant {
      moment.advanced(by: duration)
    }

    package static func - (moment: Instant, duration: Duration) -> Instant {
      moment.advanced(by: .zero - duration)
    }

    package static func - (left: Instant, right: Instant) -> Duration { right.duration(to: left) }

    package static func < (left: Instant, right: Instant) -> Bool { left.elapsed < right.elapsed }
  }
}
