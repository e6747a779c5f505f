// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

package final class SystemKernel: Kernel {
  /// Ends a wait from any thread.
  private let alarm: Pipe
  private let entropy = Mutex(Entropy())

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

  /// The remaining whole milliseconds, rounded up so that a wait never ends early; -1 without a
  /// deadline.
  private func milliseconds(until deadline: EventLoop.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    // A busy loop only polls, so the clock is not read.
    if deadline == .past { return 0 }
    let (seconds, attoseconds) = now.duration(to: deadline).components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
    let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return isTooLong ? .max : Int32(clamping: whole + milliseconds)
  }
}

extension EventLoop.Instant {
  /// The current time on the clock that all system kernels share.
  package static var onSystemClock: EventLoop.Instant {
    EventLoop.Instant(elapsed: SystemKernel.read(CLOCK_BOOTTIME))
  }
}

private struct Entropy {
  /// The maximum size of one `getentropy(3)` call.
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
