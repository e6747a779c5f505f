// SPDX-License-Identifier: MIT

import Synchronization

extension EventLoop {
  /// Does work that takes long, or that blocks, on a thread of its own while the loop goes on.
  ///
  /// Work that is given up goes on by itself, and its result is dropped. Where the system has no
  /// thread to give, it is done here.
  ///
  /// - Parameters:
  ///   - isLong: False for work that is as quick as the making of a thread, and is done here.
  ///   - deadline: When it is given up; `nil` for never.
  ///   - work: The work.
  /// - Returns: What it came to.
  /// - Throws: Where the deadline passes first, or the task is cancelled.
  package func offload<Result: Sendable>(
    ifLong isLong: Bool = true,
    until deadline: Instant? = nil,
    _ work: @escaping @Sendable () -> Result
  ) async throws(WaitError) -> Result {
    guard isLong else { return work() }
    let offloaded: Offloaded<Result>
    do {
      offloaded = try Offloaded()
      try DetachedThread.start { [offloaded] in offloaded.finish(with: work()) }
    } catch {
      return work()
    }
    _ = try await wait(for: [.readable(offloaded.end.readEnd)], until: deadline)
    guard let result = offloaded.result.withLock({ $0 }) else { throw .cancelled }
    return result
  }
}

extension [UInt8] {
  /// Whether it takes milliseconds to make sense of so many bytes.
  package var isLongToRead: Bool { count > 256 << 10 }
}

/// Where a thread leaves what it came to.
private final class Offloaded<Result: Sendable>: Sendable {
  let result = Mutex<Result?>(nil)
  /// Readable once the result is there.
  let end: Pipe

  init() throws(SystemError) {
    end = try Pipe()
  }

  func finish(with value: Result) {
    result.withLock { $0 = value }
    end.writeByte()
  }
}
