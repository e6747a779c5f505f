// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import Synchronization

/// A test's body did not come to an end.
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

/// Runs a body on a loop of its own, on the calling thread; one that does not end is cancelled.
package func onLoop<Success: Sendable>(
  _ body: @escaping @Sendable (EventLoop) async throws -> Success
) throws -> Success {
  let loop = try EventLoop()
  return try loop.runInTime { try await body(loop) }
}

extension EventLoop {
  /// Runs a body on the calling thread; one that does not end is cancelled.
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

extension EventLoop.Instant {
  /// The present moment on the clock that all loops of a test share.
  package static var now: EventLoop.Instant { .onSystemClock }

  /// A deadline that nothing meets but what hangs, however busy the machine is.
  package static var farOff: EventLoop.Instant { .now + .patience }
}

extension Duration {
  /// As long as anything is waited for that is sure to come.
  package static let patience = Duration.seconds(60)

  /// As long as a whole test may take; what hangs for longer fails.
  ///
  /// Where one has hung there are others, and all of them together must not take hours.
  package static var testLimit: Duration { .seconds(hasHung.withLock(\.self) ? 20 : 100) }

  fileprivate static let hasHung = Mutex(false)
}

extension EventLoop {
  /// Waits until a program has made a file to say that it has come so far.
  package func waitForFile(_ path: String) async throws {
    while access(path, F_OK) != 0 { try await sleep(for: .milliseconds(2)) }
  }
}
