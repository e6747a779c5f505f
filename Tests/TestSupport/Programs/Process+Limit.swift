// SPDX-License-Identifier: MIT

import EventLoop
package import Foundation
import Synchronization

extension Process {
  /// A test's thread may block any signal, and a program inherits the mask of the thread that
  /// starts it: no signal could end the program or its children.
  private static var signals: SignalSet { SignalSet(Array(1...31)) }

  /// Starts the program; at the limit its process group is killed with SIGKILL, so that nothing
  /// waits longer for its end or its output.
  package func runInTime(_ limit: Duration = .testLimit) throws {
    try Self.signals.whileUnblocked { try run() }
    // A retained process keeps its pipes, and `run` crashes if a thousand are open.
    DispatchQueue.global().asyncAfter(deadline: .now() + limit.interval) { [weak self] in
      if let self, isRunning { kill(-processIdentifier, SIGKILL) }
    }
  }

  /// Runs the program and returns its exit status, or 128 plus the number of the signal that ended
  /// it.
  ///
  /// The end is noticed only after the last background process of the program has ended. If such a
  /// process has left the process group and outlives the limit, the status is 137.
  package func statusInTime(_ limit: Duration) async throws -> Int32 {
    try await withCheckedThrowingContinuation { continuation in
      let waiting = Mutex(Optional(continuation))
      let end = { @Sendable (result: Result<Int32, any Error>) in
        waiting.withLock { $0.take() }?.resume(with: result)
      }
      terminationHandler = { ended in
        let isSignal = ended.terminationReason == .uncaughtSignal
        end(.success(ended.terminationStatus + (isSignal ? 128 : 0)))
      }
      do {
        try runInTime(limit)
        let last = limit.interval + 5
        DispatchQueue.global().asyncAfter(deadline: .now() + last) { end(.success(128 + SIGKILL)) }
      } catch {
        terminationHandler = nil
        end(.failure(error))
      }
    }
  }
}

extension Duration {
  fileprivate var interval: TimeInterval { self / .seconds(1) }
}
