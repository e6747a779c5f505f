// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// A single-threaded loop that runs the jobs of Swift concurrency and waits for events between
/// them.
///
/// ``run(_:)`` starts a command on the main thread. All nonisolated async functions and child tasks
/// below it stay on that thread, so concurrency never creates another one. Only ``enqueue(_:)`` and
/// the cancellation of a wait may come from other threads.
///
/// Time and randomness come only from the loop: no other code reads a clock or draws a random
/// number.
package final class EventLoop: TaskExecutor {
  /// The maximum number of jobs that run before deadlines and descriptors are checked.
  private static let burst = 256
  /// The maximum time that they run.
  private static let burstTime = Duration.milliseconds(5)

  private struct State {
    var jobs = Queue<UnownedJob>()
    var waiters = WaiterList()
    var isWaiting = false
    /// The last check for events.
    var lookedAt: Instant?
  }

  private let kernel: any Kernel
  private let state = Mutex(State())

  /// Creates a loop on the operating system; fails if no file descriptors are left.
  package convenience init() throws(SystemError) {
    self.init(on: try SystemKernel())
  }

  package init(on kernel: any Kernel) {
    self.kernel = kernel
  }

  /// The current time of the clock that deadlines use.
  package var now: Instant { kernel.now }

  /// The time of day, as the time since 1970-01-01 00:00 UTC.
  package var timeOfDay: Duration { kernel.timeOfDay }

  /// The random number generator of the kernel.
  package var random: RandomSource { RandomSource(kernel: kernel) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isWaiting = state.withLock { state in
      state.jobs.append(job)
      return state.isWaiting
    }
    if isWaiting { kernel.wake() }
  }

  /// Runs an operation and its child tasks on the calling thread until it returns a value.
  package func run<Success: Sendable>(
    _ operation: @escaping @Sendable () async -> Success
  ) -> Success {
    guard let value = run(unless: { false }, operation) else {
      preconditionFailure("a loop that ends without a value")
    }
    return value
  }

  /// Runs an operation like ``run(_:)``; abandons it, and returns `nil`, when there is no hope for
  /// its end.
  package func run<Success: Sendable>(
    unless isHopeless: () -> Bool,
    _ operation: @escaping @Sendable () async -> Success
  ) -> Success? {
    let result = ResultBox<Success>()
    let begin = now
    state.withLock { $0.lookedAt = begin }
    Task(executorPreference: self) {
      let value = await operation()
      result.value.withLock { $0 = value }
    }
    while !isHopeless() {
      if let value = turn(until: result) { return value }
    }
    return nil
  }

  /// Runs ready jobs for a short time; then waits for events, unless the operation has ended.
  private func turn<Success: Sendable>(until result: ResultBox<Success>) -> Success? {
    let end = now + Self.burstTime
    for _ in 0..<Self.burst {
      guard now < end, let job = nextJob() else { break }
      job.runSynchronously(on: asUnownedTaskExecutor())
      if let value = result.value.withLock({ $0 }) { return value }
    }
    wait()
    return nil
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

  /// A time on the clock of deadlines, which includes the time that the machine is suspended.
  package struct Instant: InstantProtocol, Sendable {
    /// The time since the epoch of the kernel's clock, which is the same for all its instants.
    package let elapsed: Duration

    package init(elapsed: Duration) {
      self.elapsed = elapsed
    }

    /// The earliest instant.
    package static let past = Instant(elapsed: .seconds(Int64.min))

    package func advanced(by duration: Duration) -> Instant {
      Instant(elapsed: elapsed + duration)
    }

    package func duration(to other: Instant) -> Duration { other.elapsed - elapsed }

    package static func + (moment: Instant, duration: Duration) -> Instant {
      moment.advanced(by: duration)
    }

    package static func - (moment: Instant, duration: Duration) -> Instant {
      moment.advanced(by: .zero - duration)
    }

    package static func - (left: Instant, right: Instant) -> Duration { right.duration(to: left) }

    package static func < (left: Instant, right: Instant) -> Bool { left.elapsed < right.elapsed }
  }

  /// Events of a file descriptor, which other code may own, such as a library with its own
  /// connection.
  package struct Interest: Sendable {
    package let descriptor: Int32
    package let events: Int16

    package init(descriptor: Int32, events: Int16) {
      self.descriptor = descriptor
      self.events = events
    }

    package static func readable(_ descriptor: Int32) -> Interest {
      Interest(descriptor: descriptor, events: Int16(POLLIN))
    }

    package static func writable(_ descriptor: Int32) -> Interest {
      Interest(descriptor: descriptor, events: Int16(POLLOUT))
    }
  }
}

// MARK: - Waiting

extension EventLoop {
  package enum WaitError: Error {
    case timedOut
    case cancelled
  }

  /// Suspends until one of the interests is ready and returns its index.
  ///
  /// Hang-ups and errors count as ready: the next read or write reports them.
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
          // An earlier cancellation found no waiter to resume.
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

  /// Resumes one waiting task; has no effect on a task that no longer waits.
  package struct Wakeup: Sendable {
    fileprivate let loop: EventLoop
    fileprivate let id: Int

    /// Resumes the task; returns false if it no longer waits.
    @discardableResult
    package func fire() -> Bool { loop.resume(id, with: .ready(0)) }
  }

  /// Passes the wakeup to `handOut` and suspends until it is fired or an interest is ready.
  ///
  /// The wakeup must be fired on the loop's thread.
  package func wait(
    for interests: [Interest] = [],
    until deadline: Instant?,
    _ handOut: (Wakeup) -> Void
  ) async throws(WaitError) {
    let id = state.withLock { $0.waiters.nextID() }
    handOut(Wakeup(loop: self, id: id))
    _ = try await wait(as: id, for: interests, until: deadline)
  }

  package func sleep(until deadline: Instant) async throws(CancellationError) {
    do {
      _ = try await wait(for: [], until: deadline)
    } catch {
      if case .cancelled = error { throw CancellationError() }
    }
  }

  package func sleep(for duration: Duration) async throws(CancellationError) {
    try await sleep(until: now + duration)
  }

  /// Yields if a check for events is due; for tasks that work long without waiting.
  package func yieldIfDue() async {
    let isDue = state.withLock { $0.lookedAt.map { now >= $0 + Self.burstTime } ?? false }
    if isDue { await Task.yield() }
  }

  @discardableResult
  fileprivate func resume(_ id: Int, with outcome: Waiter.Outcome) -> Bool {
    guard let waiter = state.withLock({ $0.waiters.remove(id) }) else { return false }
    waiter.continuation.resume(returning: outcome)
    return true
  }

  /// Waits for the next event, but only polls while jobs are ready.
  ///
  /// A task that always finds data must not starve the deadlines and signals of others.
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
