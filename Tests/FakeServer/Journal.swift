// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiHost
package import OppiText
import Synchronization

/// What a server saw.
package struct Journal: Sendable {
  /// An HTTP request, without secrets.
  package struct Request: Sendable, Equatable {
    package var connection: Int
    package var method: String
    /// The target without the query.
    package var path: String
    package var body: [UInt8]
    /// Whether the request had a token, valid or not.
    package var hasToken: Bool
    /// The status of the response; `nil` until one is sent.
    package var status: Int?
  }

  package struct Message: Sendable, Equatable {
    package var connection: Int
    package var text: String
    /// The message as JSON; `.null` if it is invalid.
    package var json: JSONValue

    package var type: String? { json["type"].string }
    package var sessionID: String? { json["sessionId"].string }
  }

  /// A prompt delivered to an agent, immediately or from the queue.
  package struct Run: Sendable, Equatable {
    package var sessionID: String
    package var text: String
    /// The turn's ID if the client sent one.
    package var clientTurnID: String?
  }

  package internal(set) var connections = 0
  package internal(set) var endedConnections = 0
  package internal(set) var requests: [Request] = []
  package internal(set) var messages: [Message] = []
  /// The delivered prompts in order; rejected and lost prompts are not included.
  package internal(set) var runs: [Run] = []
  package internal(set) var pongs = 0
  /// The codes of the received close frames; 1005 for a frame without a code.
  package internal(set) var closeCodes: [UInt16] = []
}

/// Records the journal of a server; may be read and awaited on any thread.
package final class Recorder: Sendable {
  private struct Waiter {
    let condition: @Sendable (Journal) -> Bool
    let promise: Promise<Journal>
  }

  private let state = Mutex((journal: Journal(), waiters: [Waiter]()))

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
    state.withLock { $0.waiters.append(Waiter(condition: condition, promise: promise)) }
    record { _ in }
    guard let journal = await promise.value() else { throw CancellationError() }
    return journal
  }

  func record(_ change: (inout Journal) -> Void) {
    let (journal, fulfilled) = state.withLock { state in
      change(&state.journal)
      let journal = state.journal
      let fulfilled = state.waiters.filter { $0.condition(journal) }
      state.waiters.removeAll { $0.condition(journal) }
      return (journal, fulfilled)
    }
    for waiter in fulfilled { waiter.promise.keep(journal) }
  }

  /// Records a request; returns its index for ``answered(_:status:)``.
  func record(_ request: HTTPRequest, connection: Int) -> Int {
    let request = Journal.Request(
      connection: connection,
      method: request.method,
      path: request.path,
      body: request.body,
      hasToken: request.headers["Authorization"] != nil || request.target.contains("token="),
      status: nil
    )
    // Requests are recorded on the server's thread only.
    record { $0.requests.append(request) }
    return journal.requests.count - 1
  }

  func answered(_ index: Int, status: Int) {
    record { $0.requests[index].status = status }
  }
}
