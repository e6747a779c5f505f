// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// The system interface of a loop: time, randomness and descriptor events.
///
/// All code gets these from the loop, so that another kernel can repeat a run exactly.
package protocol Kernel: Sendable {
  /// The current time; never goes back and includes the time that the machine is suspended.
  var now: EventLoop.Instant { get }

  /// The time of day, as the time since 1970-01-01 00:00 UTC; it may jump.
  var timeOfDay: Duration { get }

  /// Returns 64 unpredictable bits.
  func randomBits() -> UInt64

  /// Waits for an interest to become ready, at most until the deadline.
  ///
  /// Hang-ups and errors count as ready.
  ///
  /// - Returns: The indices of the ready interests, ascending; empty after the deadline or
  ///   ``wake()``.
  func wait(for interests: [EventLoop.Interest], until deadline: EventLoop.Instant?) -> [Int]

  /// Ends a current ``wait(for:until:)``; may be called on any thread.
  func wake()

  /// Returns the index of the ready job that runs next, less than `count`.
  func choose(among count: Int) -> Int
}

extension Kernel {
  /// Runs jobs in the order in which they became ready.
  package func choose(among count: Int) -> Int { 0 }
}

package struct RandomSource: RandomNumberGenerator, Sendable {
  let kernel: any Kernel

  package func next() -> UInt64 { kernel.randomBits() }
}

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

package struct SystemError: Error, Equatable {
  /// The name of the call's manual page.
  package let call: String
  /// The value of `errno`.
  package let code: Int32

  package init(_ call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }

  /// Whether the error is missing permission.
  package var isRefusal: Bool { code == EACCES || code == EPERM }

  /// Whether a folder was read as a file.
  package var isFolder: Bool { code == EISDIR }

  /// Whether the disk or the user's quota is full.
  package var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }
}

extension SystemError: CustomStringConvertible {
  /// The system's error message in lower case: `connection refused`.
  package var description: String {
    let text = String(cString: strerror(code))
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
