// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiTransport

/// A session's news as changes of its activity, with the end of a turn told only when it is one.
package struct TurnFollower: Sendable {
  /// What happened, or that nothing did until the time came.
  package enum Step: Sendable {
    case changes([ActivityChange])
    case lost(IntentError, retryIn: Duration)
    case reconnected
    case timeCame
  }

  /// After the end of a run so much time is left for the start of a retry, which follows at once.
  private static let grace = Duration.milliseconds(500)

  package private(set) var reducer: ActivityReducer
  private var feed: SessionFeed
  private let now: @Sendable () -> Timestamp
  private var settleAt: EventLoop.Instant?
  private let sessionID: String
  /// Whether the agent was at work when the stream was opened; `nil` before that.
  package private(set) var isBusyAtStart: Bool?

  package init(feed: SessionFeed, sessionID: String, now: @escaping @Sendable () -> Timestamp) {
    self.feed = feed
    self.now = now
    self.sessionID = sessionID
    reducer = ActivityReducer(sessionID: sessionID)
  }

  /// Takes it that a turn has been handed over, though nothing of it was seen yet.
  package mutating func begin() {
    let moment = now()
    _ = reducer.begin(at: moment)
  }

  package var activity: TurnActivity { reducer.activity }

  /// The stream as it stands, over which others may send; `nil` while the connection is lost.
  package var stream: IntentWebSocket? { feed.stream }

  /// Waits for the next step.
  package mutating func next(
    until deadline: EventLoop.Instant?
  ) async throws(IntentError) -> Step {
    let wake = [deadline, settleAt].compactMap(\.self).min()
    let news = try await feed.next(until: wake)
    let moment = now()
    switch news {
    case .message(let message):
      if case .connected(let session, _) = message.kind, session.id == sessionID {
        isBusyAtStart = isBusyAtStart ?? [.busy, .stopping].contains(session.status)
      }
      return .changes(apply { $0.apply(message, at: moment) })
    case .resynced(let session, let trace):
      return .changes(apply { $0.load(trace: trace, session: session, at: moment) })
    case .lost(let error, let pause): return .lost(error, retryIn: pause)
    case .reconnected: return .reconnected
    case nil: break
    }
    if let settleAt, settleAt <= .now {
      return .changes(apply { $0.settle(at: moment) })
    }
    return .timeCame
  }

  private mutating func apply(
    _ body: (inout ActivityReducer) -> [ActivityChange]
  ) -> [ActivityChange] {
    let changes = body(&reducer)
    settleAt = reducer.isSettling ? settleAt ?? .now + Self.grace : nil
    return changes
  }

  /// Sends a message to the session.
  package func send(
    _ message: ClientMessage,
    id: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) {
    try await feed.send(message, id: id, until: deadline)
  }

  /// Says goodbye.
  package func close() async {
    await feed.close()
  }
}
