// SPDX-License-Identifier: MIT

import OppiHost
import Synchronization

/// Records the journal of a server; may be read and awaited on any thread.
package final class Recorder: Sendable {
  private struct Waiter {
    let condition: @Sendable (Journal) -> Bool
    let promise: Promise<Journal>
  }

  private struct State {
    var journal = Journal()
    var waiters: [Waiter] = []
  }

  private let state = Mutex(State())

  package var journal: Journal { state.withLock(\.journal) }

  /// Waits until the journal fulfils a condition and returns it.
  ///
  /// The condition is called after every change, on the server's thread, and must not use the
  /// recorder.
  ///
  /// - Throws: If the task is cancelled first.
  @discardableResult
  package func wait(
    until condition: @escaping @Sendable (Journal) -> Bool
  ) async throws(CancellationError) -> Journal {
    let promise = Promise<Journal>()
    change { $0.waiters.append(Waiter(condition: condition, promise: promise)) }
    guard let journal = await promise.value() else { throw CancellationError() }
    return journal
  }

  func record(_ entry: Journal.Entry) {
    change { $0.journal.entries.append(entry) }
  }

  /// Records a request; returns its index for ``answered(_:status:)``.
  func record(_ request: Journal.Request) -> Int {
    change { state in
      state.journal.entries.append(.request(request))
      return state.journal.entries.count - 1
    }
  }

  func answered(_ index: Int, status: Int) {
    change { state in
      guard case .request(var request) = state.journal.entries[index] else { return }
      request.status = status
      state.journal.entries[index] = .request(request)
    }
  }

  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, journal, fulfilled) = state.withLock { state in
      let result = body(&state)
      let journal = state.journal
      let fulfilled = state.waiters.filter { $0.condition(journal) }
      state.waiters.removeAll { $0.condition(journal) }
      return (result, journal, fulfilled)
    }
    for waiter in fulfilled { waiter.promise.keep(journal) }
    return result
  }
}
