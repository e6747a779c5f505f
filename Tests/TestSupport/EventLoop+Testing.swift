// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import Synchronization

/// A test exceeded its time limit.
package struct OutOfTime: Error, CustomStringConvertible {
  private let limit: Duration

  package init(after limit: Duration) {
    self.limit = limit
    Duration.hasHung.withLock { $0 = true }
  }

  package var description: String {
    "what the test waits for did not come within \(limit), and so the test was ended"
  }
}

/// Runs a body on a new loop on the calling thread; abandons it at the test's time limit.
package func onLoop<Success: Sendable>(
  _ body: @escaping @Sendable (EventLoop) async throws -> Success
) throws -> Success {
  let loop = try EventLoop()
  return try loop.runInTime { try await body(loop) }
}

extension EventLoop {
  /// Runs a body on the calling thread; abandons it at the test's time limit.
  ///
  /// It is not cancelled: a loop that ignores the failure of its sleep would then never suspend.
  package func runInTime<Success: Sendable>(
    _ body: @escaping @Sendable () async throws -> Success
  ) throws -> Success {
    let limit = Duration.testLimit
    let end = Instant.now + limit
    let life = { @Sendable () async -> Result<Success, any Error> in
      // Wakes the loop for its last look at the time.
      let watch = Task(executorPreference: self) {
        try? await self.sleep(until: end + .milliseconds(1))
      }
      let result: Result<Success, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      watch.cancel()
      await watch.value
      return result
    }
    guard let result = run(unless: { Instant.now > end }, life) else {
      throw OutOfTime(after: limit)
    }
    return try result.get()
  }
}

extension EventLoop {
  /// Runs a body on a new thread, so that a test that waits for seconds does not keep one of the
  /// few threads of the tests; abandons it at the test's time limit.
  package func runOnThread<Success: Sendable>(
    _ body: @escaping @Sendable () async throws -> Success
  ) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in
      do throws(SystemError) {
        try DetachedThread.start {
          continuation.resume(with: Result { try self.runInTime(body) })
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}

/// Waits until other tasks have made a condition true, for at most the test's time limit.
package func waitUntil(_ condition: () -> Bool) async throws {
  let limit = Duration.testLimit
  let end = EventLoop.Instant.now + limit
  while !condition() {
    guard .now < end else { throw OutOfTime(after: limit) }
    await Task.yield()
  }
}

extension EventLoop.Instant {
  /// The current time on the clock that all loops of a test share.
  package static var now: EventLoop.Instant { .onSystemClock }

  /// A deadline that only a hang exceeds, even on a busy machine.
  package static var farOff: EventLoop.Instant { .now + .timeout }
}

extension Duration {
  /// The maximum wait for something that is certain to happen.
  package static let timeout = Duration.seconds(60)

  /// The time limit of a test, by the clock of the machine, which may be busy.
  ///
  /// It is shorter after a test has hung, so that many hanging tests do not take hours.
  package static var testLimit: Duration { .seconds(hasHung.withLock(\.self) ? 60 : 240) }

  fileprivate static let hasHung = Mutex(false)
}

extension EventLoop {
  /// Waits until a program has created a marker file.
  package func waitForFile(_ path: String) async throws {
    while access(path, F_OK) != 0 { try await sleep(for: .milliseconds(2)) }
  }
}
