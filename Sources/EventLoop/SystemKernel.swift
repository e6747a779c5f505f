// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// The operating system: its clocks, its randomness and `poll(2)`.
package final class SystemKernel: Kernel {
  /// Wakes a wait from another thread.
  private let alarm: Pipe
  private let entropy = Mutex(Entropy())

  /// Makes a kernel; fails where the process has no file descriptors left.
  package init() throws(SystemError) {
    alarm = try Pipe()
  }

  package var now: EventLoop.Instant { .onSystemClock }

  package var timeOfDay: Duration { Self.read(CLOCK_REALTIME) }

  fileprivate static func read(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  package func randomBits() -> UInt64 { entropy.withLock { $0.next() } }

  package func wake() { alarm.writeByte() }

  package func wait(
    for interests: [EventLoop.Interest],
    until deadline: EventLoop.Instant?
  ) -> [Int] {
    var entries = interests.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
    entries.append(pollfd(fd: alarm.readEnd, events: Int16(POLLIN), revents: 0))
    let count = poll(&entries, nfds_t(entries.count), milliseconds(until: deadline))
    guard count > 0 else { return [] }
    if entries[interests.count].revents != 0 { alarm.drain() }
    return interests.indices.filter { entries[$0].revents != 0 }
  }

  /// The time left in whole milliseconds, rounded up so that a wake is never early; -1 for ever.
  private func milliseconds(until deadline: EventLoop.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    // A busy loop only looks; it need not know what time it is.
    if deadline == .past { return 0 }
    let (seconds, attoseconds) = now.duration(to: deadline).components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
    let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return isTooLong ? .max : Int32(clamping: whole + milliseconds)
  }
}

extension EventLoop.Instant {
  /// The present moment on the clock that all loops over the operating system share.
  package static var onSystemClock: EventLoop.Instant {
    EventLoop.Instant(elapsed: SystemKernel.read(CLOCK_BOOTTIME))
  }
}

/// The system's random bytes, asked for in portions.
private struct Entropy {
  /// The most that `getentropy(3)` gives at once.
  private static let portion = 256

  private var bytes: [UInt8] = []
  private var position = 0

  mutating func next() -> UInt64 {
    if position == bytes.count { refill() }
    defer { position += 8 }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: UInt64.self) }
  }

  private mutating func refill() {
    bytes = [UInt8](repeating: 0, count: Self.portion)
    position = 0
    precondition(getentropy(&bytes, bytes.count) == 0, "the system has no randomness")
  }
}
