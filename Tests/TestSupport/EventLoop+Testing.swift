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
    "what the test waits for did not come within \(limit), and so it was cancelled"
  }
}

/// Runs a body on a new loop on the calling thread; cancels it at the test's time limit.
package func onLoop<Success: Sendable>(
  _ body: @escaping @Sendable (EventLoop) async throws -> Success
) throws -> Success {
  let loop = try EventLoop()
  return try loop.runInTime { try await body(loop) }
}

extension EventLoop {
  /// Runs a body on the calling thread; cancels it at the test's time limit.
  package func runInTime<Success: Sendable>(
    _ body: @escaping @Sendable () async throws -> Success
  ) throws -> Success {
    let result = run {
      await withTaskGroup(of: Result<Success, any Error>.self) { group in
        group.addTask {
          do { return .success(try await body()) } catch { return .failure(error) }
        }
        group.addTask {
          let limit = Duration.testLimit
          try? await self.sleep(for: limit)
          return .failure(Task.isCancelled ? CancellationError() : OutOfTime(after: limit))
        }
        let first = await group.next() ?? .failure(CancellationError())
        group.cancelAll()
        return first
      }
    }
    return try result.get()
  }
}

extension EventLoop {
  /// Runs a body on a new thread, so that a test that waits for seconds does not keep one of the
  /// few threads of the tests; cancels it at the test's time limit.
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

extension EventLoop.Instant {
  /// The current time on the clock that all loops of a test share.
  package static var now: EventLoop.Instant { .onSystemClock }

  /// A deadline that only a hang exceeds, even on a busy machine.
  package static var farOff: EventLoop.Instant { .now + .patience }
}

extension Duration {
  /// The maximum wait for something that is certain to happen.
  package static let patience = Duration.seconds(60)

  /// The time limit of a test.
  ///
  /// It is shorter after a test has hung, so that many hanging tests do not take hours.
  package static var testLimit: Duration { .seconds(hasHung.withLock(\.self) ? 20 : 100) }

  fileprivate static let hasHung = Mutex(false)
}

extension EventLoop {
  /// Waits until a program has created a marker file.
  package func waitForFile(_ path: String) async throws {
    while access(path, F_OK) != 0 { try await sleep(for: .milliseconds(2)) }
  }
}
