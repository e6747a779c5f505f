// SPDX-License-Identifier: MIT

/// Work that outlives what started it: the server's children, up to the server's end.
final class Background: Sendable {
  typealias Job = @Sendable () async -> Void

  private let jobs: AsyncStream<Job>
  private let queue: AsyncStream<Job>.Continuation

  init() {
    (jobs, queue) = AsyncStream.makeStream()
  }

  /// Starts a job beside all others.
  func start(_ job: @escaping Job) {
    queue.yield(job)
  }

  /// Lets ``run()`` cancel all jobs and return.
  func finish() {
    queue.finish()
  }

  /// Runs jobs until ``finish()`` or the task's cancellation; returns when the last one has ended.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await job in jobs {
        group.addTask { await job() }
      }
      group.cancelAll()
    }
  }
}
