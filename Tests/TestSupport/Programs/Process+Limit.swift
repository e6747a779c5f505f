// SPDX-License-Identifier: MIT

import EventLoop
package import Foundation
import Synchronization

extension Process {
  /// On the threads of a test every signal may wait, and a program has the mask of the thread that
  /// starts it: nobody could end it or one of its own.
  private static var signals: SignalSet { SignalSet(Array(1...31)) }

  /// Starts the program; one that has not ended in time is killed with all of its process group, and
  /// shows signal 9, so that whoever waits for its end or its output waits no longer.
  package func runInTime(_ limit: Duration = .testLimit) throws {
    try Self.signals.whileUnblocked { try run() }
    // One that is kept after its end keeps its pipes, and `run` crashes where a thousand are open.
    DispatchQueue.global().asyncAfter(deadline: .now() + limit.interval) { [weak self] in
      if let self, isRunning { kill(-processIdentifier, SIGKILL) }
    }
  }

  /// Runs the program and returns its exit status, with 128 added where a signal has ended it.
  ///
  /// Its end is not seen before that of the last program that it has left behind. Where one of those has
  /// left its process group, too, and goes on when the time is over, the status is 137.
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
