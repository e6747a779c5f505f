// SPDX-License-Identifier: MIT

extension EventLoop {
  /// A time on the clock of deadlines, which includes the time that the machine is suspended.
  package struct Instant: InstantProtocol, Sendable {
    /// The time since the epoch of the kernel's clock, which is the same for all its instants.
    package let elapsed: Duration

    package init(elapsed: Duration) {
      self.elapsed = elapsed
    }

    /// The earliest instant.
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
