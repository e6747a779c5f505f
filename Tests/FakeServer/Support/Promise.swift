// SPDX-License-Identifier: MIT

import Synchronization

/// A value that is set once, for any number of waiting tasks.
final class Promise<Value: Sendable>: Sendable {
  private typealias Waiters = [Int: CheckedContinuation<Value?, Never>]

  private struct State {
    var value: Value?
    var waiters: Waiters = [:]
    var lastWaiter = 0
  }

  private let state = Mutex(State())

  /// Sets the value unless it is already set.
  func keep(_ value: Value) {
    let waiters = state.withLock { state -> Waiters in
      guard state.value == nil else { return [:] }
      state.value = value
      defer { state.waiters = [:] }
      return state.waiters
    }
    for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(returning: value) }
  }

  /// Waits for the value; `nil` if the task is cancelled first.
  func value() async -> Value? {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSettled = state.withLock { state in
          // An earlier cancellation found no waiter to resume.
          if state.value != nil || Task.isCancelled { return true }
          state.waiters[id] = continuation
          return false
        }
        if isSettled { continuation.resume(returning: state.withLock(\.value)) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
      waiter?.resume(returning: nil)
    }
  }
}
