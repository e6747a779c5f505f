// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// One thread's loop: it runs the jobs of Swift concurrency and waits in `poll(2)` in between.
///
/// A command is started by ``run(_:)`` on the main thread; every nonisolated async function and
/// every child task below it stays on that thread, so that the process never makes a second one for
/// concurrency's sake. Only ``enqueue(_:)`` and the cancellation of a wait may come from elsewhere.
package final class EventLoop: TaskExecutor {
  /// The time of all deadlines: it goes on while the machine sleeps.
  package typealias Instant = ContinuousClock.Instant

  /// Something that a file descriptor may become.
  package struct Interest: Sendable {
    let descriptor: Int32
    let events: Int16

    package static func readable(_ descriptor: Int32) -> Interest {
      Interest(descriptor: descriptor, events: Int16(POLLIN))
    }

    package static func writable(_ descriptor: Int32) -> Interest {
      Interest(descriptor: descriptor, events: Int16(POLLOUT))
    }
  }

  /// Why a wait ended without its event.
  package enum WaitError: Error {
    case timedOut
    case cancelled
  }

  private enum Outcome {
    case ready(Int)
    case failed(WaitError)
  }

  private struct Waiter {
    var interests: [Interest]
    var deadline: Instant?
    var continuation: UnsafeContinuation<Outcome, Never>
  }

  private struct State {
    var jobs: [UnownedJob] = []
    var waiters: [Int: Waiter] = [:]
    var lastWaiter = 0
    var isPolling = false
  }

  private let state = Mutex(State())
  private let alarm: Pipe

  /// Makes a loop; fails where the process has no file descriptors left.
  package init() throws(SystemError) {
    alarm = try Pipe()
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isPolling = state.withLock { state in
      state.jobs.append(job)
      return state.isPolling
    }
    if isPolling { alarm.writeByte() }
  }

  /// Runs an operation and everything it starts on the calling thread, and returns its value.
  package func run<Success: Sendable>(
    _ operation: @escaping @Sendable () async -> Success
  ) -> Success {
    let result = ResultBox<Success>()
    Task(executorPreference: self) {
      let value = await operation()
      result.value.withLock { $0 = value }
    }
    while true {
      let jobs = state.withLock { state in
        defer { state.jobs.removeAll(keepingCapacity: true) }
        return state.jobs
      }
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
      if let value = result.value.withLock({ $0 }) { return value }
      poll()
    }
  }

  private final class ResultBox<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }
}

// MARK: - Waiting

extension EventLoop {
  /// Suspends until one of the interests is there and returns its index.
  ///
  /// Hang-ups and errors count as readiness: the next read or write tells what happened.
  package func wait(
    for interests: [Interest],
    until deadline: Instant?
  ) async throws(WaitError) -> Int {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    let outcome = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isCancelled = state.withLock { state in
          // A cancellation that came before this point found no waiter to resume.
          if Task.isCancelled { return true }
          state.waiters[id] = Waiter(
            interests: interests,
            deadline: deadline,
            continuation: continuation
          )
          return false
        }
        if isCancelled { continuation.resume(returning: .failed(.cancelled)) }
      }
    } onCancel: {
      resume(id, with: .failed(.cancelled))
    }
    switch outcome {
    case .ready(let index): return index
    case .failed(let error): throw error
    }
  }

  /// Suspends until a moment has come.
  package func sleep(until deadline: Instant) async throws(CancellationError) {
    do {
      _ = try await wait(for: [], until: deadline)
    } catch {
      if case .cancelled = error { throw CancellationError() }
    }
  }

  private func resume(_ id: Int, with outcome: Outcome) {
    let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
    waiter?.continuation.resume(returning: outcome)
  }

  /// Waits in the kernel for the next event, and not at all while jobs are queued: a task that
  /// always finds data must not starve the deadlines and signals of the others.
  private func poll() {
    var (descriptors, owners, timeout) = pollArguments()
    descriptors.append(pollfd(fd: alarm.readEnd, events: Int16(POLLIN), revents: 0))
    let count = Glibc.poll(&descriptors, nfds_t(descriptors.count), timeout)
    state.withLock { $0.isPolling = false }
    if descriptors[descriptors.count - 1].revents != 0 { alarm.drain() }
    if count > 0 {
      for (descriptor, owner) in zip(descriptors, owners) where descriptor.revents != 0 {
        resume(owner.waiter, with: .ready(owner.index))
      }
    }
    let now = Instant.now
    let expired = state.withLock { state in
      state.waiters.compactMap { id, waiter in waiter.deadline.map { (deadline: $0, id: id) } }
        .filter { $0.deadline <= now }
        .sorted { $0 < $1 }
    }
    for (_, id) in expired { resume(id, with: .failed(.timedOut)) }
  }

  private func pollArguments() -> ([pollfd], [(waiter: Int, index: Int)], timeout: Int32) {
    state.withLock { state in
      state.isPolling = true
      var descriptors: [pollfd] = []
      var owners: [(waiter: Int, index: Int)] = []
      var nearest: Instant?
      for (id, waiter) in state.waiters {
        for (index, interest) in waiter.interests.enumerated() {
          descriptors.append(
            pollfd(fd: interest.descriptor, events: interest.events, revents: 0)
          )
          owners.append((id, index))
        }
        if let deadline = waiter.deadline { nearest = min(nearest ?? deadline, deadline) }
      }
      let timeout = state.jobs.isEmpty ? Self.milliseconds(until: nearest) : 0
      return (descriptors, owners, timeout)
    }
  }

  /// The time left in whole milliseconds, rounded up so that a wake is never early; -1 for ever.
  private static func milliseconds(until deadline: Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let (seconds, attoseconds) = Instant.now.duration(to: deadline).components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let milliseconds = seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: milliseconds)
  }
}
