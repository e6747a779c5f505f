// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

extension EventLoop {
  /// Runs slow or blocking work on a separate thread while the loop continues.
  ///
  /// The work runs on the calling thread if `isLong` is false, because creating a thread would cost
  /// as much, or if no thread can be created. After an error the work continues, but its result is
  /// discarded.
  ///
  /// - Throws: If the deadline passes or the task is cancelled before the work ends.
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
  /// Whether parsing this many bytes takes milliseconds.
  package var isLongToRead: Bool { count > 256 << 10 }
}

/// Receives the result of a thread.
private final class Offloaded<Result: Sendable>: Sendable {
  let result = Mutex<Result?>(nil)
  /// Readable once the result is available.
  let end: Pipe

  init() throws(SystemError) {
    end = try Pipe()
  }

  func finish(with value: Result) {
    result.withLock { $0 = value }
    end.writeByte()
  }
}

/// A detached thread, for a blocking call or a separate loop.
package enum DetachedThread {
  /// Runs `body` on a new thread and retains it until it returns.
  package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Body(body))
    let status = pthread_create(&thread, nil, main, context.toOpaque())
    guard status == 0 else {
      context.release()
      throw SystemError("pthread_create", code: status)
    }
    pthread_detach(thread)
  }

  private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    context in
    guard let context else { return nil }
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
