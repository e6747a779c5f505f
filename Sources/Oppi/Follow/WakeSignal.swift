// SPDX-License-Identifier: MIT

import Synchronization

/// A signal from any task to the one task that waits for it.
final class WakeSignal: Sendable {
  private enum State: Sendable {
    case silent
    /// Sent while nothing waited.
    case sent
    case awaited(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.silent)

  func send() {
    state.withLock { state in
      guard case .awaited(let waiter) = state else {
        state = .sent
        return
      }
      state = .silent
      waiter.resume()
    }
  }

  /// Waits until the signal is sent, or was sent since the last wait; false if the task is cancelled.
  func wait() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        state.withLock { state in
          if case .silent = state, !Task.isCancelled {
            state = .awaited(waiter)
            return
          }
          state = .silent
          waiter.resume()
        }
      }
      return !Task.isCancelled
    } onCancel: {
      state.withLock { state in
        guard case .awaited(let waiter) = state else { return }
        state = .silent
        waiter.resume()
      }
    }
  }
}
