// SPDX-License-Identifier: MIT

import OppiTransport
import Synchronization

extension IntentAPIClient {
  /// Performs jobs in their order, at most `limit` at a time, over kept connections.
  ///
  /// The first worker uses `connection`; each further worker opens its own. Results come in no
  /// particular order; a `nil` result is dropped.
  func perform<Job: Sendable, Value: Sendable>(
    _ jobs: [Job],
    atMost limit: Int,
    over connection: HTTPConnection,
    _ work: @escaping @Sendable (Job, HTTPConnection) async -> Value?
  ) async -> [Value] {
    let queue = JobQueue(jobs)
    return await withTaskGroup(of: [Value].self) { group in
      for _ in 1..<max(1, min(limit, jobs.count)) {
        group.addTask { await queue.work(over: self.connection(), work) }
      }
      var values = await queue.work(over: connection, work)
      for await more in group { values += more }
      return values
    }
  }
}

private final class JobQueue<Job: Sendable>: Sendable {
  private let jobs: Mutex<[Job]>

  init(_ jobs: [Job]) { self.jobs = Mutex(jobs.reversed()) }

  func work<Value>(
    over connection: HTTPConnection,
    _ work: (Job, HTTPConnection) async -> Value?
  ) async -> [Value] {
    var values: [Value] = []
    while let job = jobs.withLock({ $0.popLast() }) {
      if let value = await work(job, connection) { values.append(value) }
    }
    return values
  }
}
