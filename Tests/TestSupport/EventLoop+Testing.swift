// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// A test's body did not come to an end.
package struct OutOfTime: Error {}

/// Runs a body on a loop of its own, on the calling thread; one that does not end is cancelled.
package func onLoop<Success: Sendable>(
  _ body: @escaping @Sendable (EventLoop) async throws -> Success
) throws -> Success {
  let loop = try EventLoop()
  let result = loop.run {
    await withTaskGroup(of: Result<Success, any Error>.self) { group in
      group.addTask {
        do { return .success(try await body(loop)) } catch { return .failure(error) }
      }
      group.addTask {
        try? await loop.sleep(for: .seconds(100))
        return .failure(OutOfTime())
      }
      let first = await group.next() ?? .failure(OutOfTime())
      group.cancelAll()
      return first
    }
  }
  return try result.get()
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
}

extension EventLoop {
  /// Waits until a program has made a file to say that it has come so far.
  package func waitForFile(_ path: String) async throws {
    while access(path, F_OK) != 0 { try await sleep(for: .milliseconds(2)) }
  }
}
