// SPDX-License-Identifier: MIT

import Synchronization

/// One thread's loop: it runs the jobs of Swift concurrency and waits for events in between.
///
/// A command is started by ``run(_:)`` on the main thread; every nonisolated async function and
/// every child task below it stays on that thread, so that the process never makes a second one for
/// concurrency's sake. Only ``enqueue(_:)`` and the cancellation of a wait may come from elsewhere.
///
/// The loop owns time and chance: nothing else reads a clock or draws a number.
package final class EventLoop: TaskExecutor {
  /// So many jobs run before deadlines and descriptors are looked at, however many are ready.
  private static let burst = 256
  /// For so long they do.
  private static let burstTime = Duration.milliseconds(5)

  private struct State {
    var jobs = Queue<UnownedJob>()
    var waiters = WaiterList()
    var isWaiting = false
    /// When events were looked for last.
    var lookedAt: Instant?
  }

  private let kernel: any Kernel
  private let state = Mutex(State())

  /// Makes a loop over the operating system; fails where the process has no file descriptors left.
  package convenience init() throws(SystemError) {
    self.init(on: try SystemKernel())
  }

  /// Makes a loop over any kernel.
  package init(on kernel: any Kernel) {
    self.kernel = kernel
  }

  /// The present moment of all deadlines.
  package var now: Instant { kernel.now }

  /// The time of day, as the time since the beginning of 1970 in UTC.
  package var timeOfDay: Duration { kernel.timeOfDay }

  /// Where random numbers come from.
  package var random: RandomSource { RandomSource(kernel: kernel) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isWaiting = state.withLock { state in
      state.jobs.append(job)
      return state.isWaiting
    }
    if isWaiting { kernel.wake() }
  }

  /// Runs an operation and everything it starts on the calling thread, and returns its value.
  package func run<Success: Sendable>(
    _ operation: @escaping @Sendable () async -> Success
  ) -> Success {
    let result = ResultBox<Success>()
    let begin = now
    state.withLock { $0.lookedAt = begin }
    Task(executorPreference: self) {
      let value = await operation()
      result.value.withLock { $0 = value }
    }
    while true {
      let end = now + Self.burstTime
      for _ in 0..<Self.burst {
        guard now < end, let job = nextJob() else { break }
        job.runSynchronously(on: asUnownedTaskExecutor())
        if let value = result.value.withLock({ $0 }) { return value }
      }
      wait()
    }
  }

  private func nextJob() -> UnownedJob? {
    state.withLock { state in
      switch state.jobs.count {
      case 0: nil
      case 1: state.jobs.remove(at: 0)
      case let count: state.jobs.remove(at: kernel.choose(among: count))
      }
    }
  }

  private final class ResultBox<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }
}

// MARK: - Waiting

extension EventLoop {
  /// Why a wait ended without its event.
  package enum WaitError: Error {
    case timedOut
    case cancelled
  }

  /// Suspends until one of the interests is there and returns its index.
  ///
  /// Hang-ups and errors count as readiness: the next read or write tells what happened.
  package func wait(
    for interests: [Interest],
    until deadline: Instant?
  ) async throws(WaitError) -> Int {
    let id = state.withLock { $0.waiters.nextID() }
    return try await wait(as: id, for: interests, until: deadline)
  }

  private func wait(
    as id: Int,
    for interests: [Interest],
    until deadline: Instant?
  ) async throws(WaitError) -> Int {
    let outcome = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isCancelled = state.withLock { state in
          // A cancellation that came before this point found no waiter to resume.
          if Task.isCancelled { return true }
          state.waiters.add(
            Waiter(id: id, interests: interests, deadline: deadline, continuation: continuation)
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

  /// Lets a task that waits go on; one that waits no more is left alone.
  package struct Wakeup: Sendable {
    fileprivate let loop: EventLoop
    fileprivate let id: Int

    /// Wakes the task; false where it waits no more.
    @discardableResult
    package func fire() -> Bool { loop.resume(id, with: .ready(0)) }
  }

  /// Suspends until somebody on the loop's thread fires the wakeup that is handed out, or one of the
  /// interests is there.
  package func wait(
    for interests: [Interest] = [],
    until deadline: Instant?,
    _ handOut: (Wakeup) -> Void
  ) async throws(WaitError) {
    let id = state.withLock { $0.waiters.nextID() }
    handOut(Wakeup(loop: self, id: id))
    _ = try await wait(as: id, for: interests, until: deadline)
  }

  /// Suspends until a moment has come.
  package func sleep(until deadline: Instant) async throws(CancellationError) {
    do {
      _ = try await wait(for: [], until: deadline)
    } catch {
      if case .cancelled = error { throw CancellationError() }
    }
  }

  /// Suspends for some time.
  package func sleep(for duration: Duration) async throws(CancellationError) {
    try await sleep(until: now + duration)
  }

  /// Lets deadlines, descriptors and signals be looked at where that is due: for a task that does
  /// much without ever having to wait.
  package func breathe() async {
    let isDue = state.withLock { $0.lookedAt.map { now >= $0 + Self.burstTime } ?? false }
    if isDue { await Task.yield() }
  }

  /// Resumes a waiter; false where there is none any more.
  @discardableResult
  fileprivate func resume(_ id: Int, with outcome: Waiter.Outcome) -> Bool {
    guard let waiter = state.withLock({ $0.waiters.remove(id) }) else { return false }
    waiter.continuation.resume(returning: outcome)
    return true
  }

  /// Waits for the next event, and not at all while jobs are ready: a task that always finds data
  /// must not starve the deadlines and signals of the others.
  private func wait() {
    let (interests, owners, deadline) = state.withLock { state in
      state.isWaiting = true
      let (interests, owners) = state.waiters.interests
      let isBusy = state.jobs.count > 0
      return (interests, owners, isBusy ? .past : state.waiters.nearestDeadline)
    }
    let ready = kernel.wait(for: interests, until: deadline)
    let now = kernel.now
    state.withLock { ($0.isWaiting, $0.lookedAt) = (false, now) }
    for index in ready { resume(owners[index].waiter, with: .ready(owners[index].index)) }
    for id in state.withLock({ $0.waiters.expired(at: now) }) {
      resume(id, with: .failed(.timedOut))
    }
  }
}
