// SPDX-License-Identifier: MIT

/// Jobs that outlive their caller and end with the server.
final class Background: Sendable {
  typealias Job = @Sendable () async -> Void

  private let jobs: AsyncStream<Job>
  private let queue: AsyncStream<Job>.Continuation

  init() {
    (jobs, queue) = AsyncStream.makeStream()
  }

  func start(_ job: @escaping Job) {
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
