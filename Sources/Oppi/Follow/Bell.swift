// SPDX-License-Identifier: MIT

import Synchronization

/// A signal from any task to the one task that waits for it.
final class Bell: Sendable {
  private enum State: Sendable {
    case silent
    /// Rung while nothing waited.
    case rung
    case awaited(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.silent)

  init() {}

  func ring() {
    state.withLock { state in
      guard case .awaited(let waiter) = state else {
        state = .rung
        return
      }
      state = .silent
      waiter.resume()
    }
  }

  /// Waits until the bell is rung, or was rung since the last wait; false if the task is cancelled.
  func hasRung() async -> Bool {
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
