// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiText
import Synchronization

// MARK: - Values that come later

/// A value that is set once, for any number of waiting tasks.
package final class Promise<Value: Sendable>: Sendable {
  private typealias Waiters = [Int: CheckedContinuation<Value?, Never>]

  private struct State {
    var value: Value?
    var waiters: Waiters = [:]
    var lastWaiter = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Sets the value unless it is already set.
  package func keep(_ value: Value) {
    let waiters = state.withLock { state -> Waiters in
      guard state.value == nil else { return [:] }
      state.value = value
      defer { state.waiters = [:] }
      return state.waiters
    }
    for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(returning: value) }
  }

  /// Waits for the value; `nil` if the task is cancelled first.
  package func value() async -> Value? {
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

/// Jobs that outlive their caller and end with the server.
package final class Background: Sendable {
  package typealias Job = @Sendable () async -> Void

  private let jobs: AsyncStream<Job>
  private let queue: AsyncStream<Job>.Continuation

  init() {
    (jobs, queue) = AsyncStream.makeStream()
  }

  package func start(_ job: @escaping Job) {
    queue.yield(job)
  }

  /// Makes ``run()`` cancel all jobs and return.
  func finish() {
    queue.finish()
  }

  /// Runs jobs until ``finish()`` or the task's cancellation; returns when all have ended.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await job in jobs {
        group.addTask { await job() }
      }
      group.cancelAll()
    }
  }
}
