// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
import OppiTransport

/// A session's news as changes of its activity, with the end of a turn told only when it is one.
package struct TurnFollower: Sendable {
  /// What happened, or that nothing did until the time came.
  package enum Step: Sendable {
    /// A message and what it changed; no message where time alone did.
    case changes([ActivityChange], of: ServerMessage?)
    /// What had happened before anybody looked, or while nobody could.
    case past([ActivityChange])
    case lost(IntentError, retryIn: Duration)
    case standing(FeedState.Standing)
    /// Nothing more will come.
    case givenUp(IntentError)
    case timeCame
  }

  /// After the end of a run so much time is left for the start of a retry, which follows at once.
  private static let grace = Duration.milliseconds(500)
  /// Who was not there when a run failed waits longer: the pause before another attempt may have
  /// begun already.
  private static let pauseGrace = Duration.seconds(15)
  private static let traceRetry = Duration.seconds(2)

  /// What the messages so far came to.
  package private(set) var reducer: ActivityReducer
  private var feed: SessionFeed
  private var loop: EventLoop { feed.loop }
  private var settleAt: EventLoop.Instant?
  private var gap: Gap?
  private var hasMissedNews = false
  /// Whether the stream stands, with all that was missed before.
  private var isUpToDate: Bool

  /// What was missed before a connection, and only the trace can tell.
  private struct Gap {
    var standing: FeedState.Standing
    var loadAt: EventLoop.Instant
    /// Whether the trace has been looked at, and shows a turn that the status may not tell of.
    var isSecondLook = false
    /// Whether the stream has told of a turn since.
    var hasNews = false
  }

  package init(feed: SessionFeed, sessionID: String) {
    self.feed = feed
    reducer = ActivityReducer(sessionID: sessionID)
    // A stream that was handed over has never missed anything.
    isUpToDate = feed.stream != nil
  }

  /// Takes it that a prompt has been handed over, whose turn is this program's own.
  package mutating func begin(_ prompt: String, clientTurnID: String, isQueued: Bool) {
    _ = reducer.begin(
      clientTurnID: clientTurnID,
      prompt: prompt,
      isQueued: isQueued,
      at: loop.timestamp()
    )
  }

  /// Why the server cannot be heard at present; `nil` where it can.
  var absence: IntentError? { feed.absence }

  /// The turn as it stands.
  package var activity: TurnActivity { reducer.activity }

  /// The stream as it stands, over which others may send; `nil` while the connection is lost.
  package var stream: IntentWebSocket? { feed.stream }

  /// Waits for the next step.
  package mutating func next(
    until deadline: EventLoop.Instant?
  ) async throws(IntentError) -> Step {
    if let gap, gap.loadAt <= loop.now { return try await load(gap) }
    let wake = [deadline, settleAt, gap?.loadAt].compactMap(\.self).min()
    switch try await feed.next(until: wake) {
    case .message(let message):
      let moment = loop.timestamp()
      return .changes(apply { $0.apply(message, at: moment) }, of: message)
    case .standing(let standing): return meet(standing)
    case .lost(let error, let pause):
      hasMissedNews = true
      isUpToDate = false
      if reducer.mayBeRetried { settleAt = nil }
      return .lost(error, retryIn: pause)
    case .givenUp(let error): return .givenUp(error)
    case nil: break
    }
    if let settleAt, settleAt <= loop.now {
      return .changes(apply { $0.settle() }, of: nil)
    }
    if let gap, gap.loadAt <= loop.now { return try await load(gap) }
    return .timeCame
  }

  private mutating func apply(
    _ body: (inout ActivityReducer) -> [ActivityChange]
  ) -> [ActivityChange] {
    let changes = body(&reducer)
    let isPauseLikely = hasMissedNews && reducer.mayBeRetried
    let grace = isPauseLikely ? Self.pauseGrace : Self.grace
    // The word that another attempt follows may be among what is still to be heard.
    let mayEnd = isUpToDate || !reducer.mayBeRetried
    settleAt = reducer.isSettling && mayEnd ? settleAt ?? loop.now + grace : nil
    if !reducer.isSettling, settleAt == nil, reducer.activity.isFinished { hasMissedNews = false }
    for change in changes { update(gapBy: change) }
    return changes
  }

  /// The trace may come late: what the stream has told meanwhile is the newer word on whether the
  /// session works.
  private mutating func update(gapBy change: ActivityChange) {
    switch change {
    case .turnStarted:
      gap?.hasNews = true
      gap?.standing.status = .busy
      // The turn that runs now is the new agent's.
      gap?.standing.isNewAgent = false
    case .turnFinished:
      gap?.hasNews = true
      gap?.standing.status = .ready
    default: break
    }
  }

  // MARK: - After a connection

  private mutating func meet(_ standing: FeedState.Standing) -> Step {
    let isAtWork = standing.status.isAtWork
    isUpToDate = true
    if !standing.isFirst, reducer.mayBeRetried { settleAt = loop.now + Self.pauseGrace }
    // Whoever joins a turn learns its calls from the trace alone; and a session that rests while a
    // turn is awaited has lost it, unless it rests between two attempts.
    let isLost = !isAtWork && reducer.expectsNews && !reducer.mayBeRetried
    let hasGap = standing.isFirst ? isAtWork : !standing.isComplete || isLost
    if let open = gap {
      // What an earlier connection left open is asked for as things stand now.
      var standing = standing
      standing.isNewAgent = standing.isNewAgent || open.standing.isNewAgent
      gap = Gap(standing: standing, loadAt: loop.now)
    } else if hasGap {
      gap = Gap(standing: standing, loadAt: loop.now)
    }
    return .standing(standing)
  }

  private mutating func load(_ open: Gap) async throws(IntentError) -> Step {
    do {
      let (session, trace) = try await feed.trace()
      let standing = open.standing
      // The status is older than the trace: a turn has perhaps begun since, and the stream tells.
      if !standing.status.isAtWork, !open.isSecondLook, reducer.mayHaveBegun(inTrace: trace) {
        let later = loop.now + Self.traceRetry
        gap = Gap(standing: standing, loadAt: later, isSecondLook: true, hasNews: open.hasNews)
        return .changes([], of: nil)
      }
      gap = nil
      let moment = loop.timestamp()
      var current = session
      // An older server lists what it wrote down a second ago.
      if !open.isSecondLook || open.hasNews { current.status = standing.status }
      let isNewAgent = standing.isNewAgent
      return .past(
        apply { $0.load(trace: trace, session: current, isAgentLost: isNewAgent, at: moment) }
      )
    } catch {
      guard error.isPassing else { throw error }
      let later = loop.now + Self.traceRetry
      gap?.loadAt = later
      return .changes([], of: nil)
    }
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
