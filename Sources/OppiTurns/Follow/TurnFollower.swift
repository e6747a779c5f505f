// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiClient
package import OppiModel
import OppiWire

/// Converts a session's news to changes of its activity, and reports the end of a turn only when it
/// is final.
package struct TurnFollower: Sendable {
  /// How long after a run's end a retry without a pause may start.
  private static let grace = Duration.milliseconds(500)
  /// The same if the run's failure was not received live: the pause before the retry may have begun
  /// earlier.
  private static let pauseGrace = Duration.seconds(15)
  /// The same if the agent reports when nothing follows, for the case that the report is lost.
  private static let reportGrace = Duration.seconds(10)
  /// How long after a gap the end of an announced compaction is awaited.
  private static let compactionGrace = Duration.seconds(300)
  private static let traceRetry = Duration.seconds(2)

  /// The state after the messages so far.
  var reducer: ActivityReducer
  package private(set) var feed: SessionFeed
  private var loop: EventLoop { feed.loop }
  private var settleAt: EventLoop.Instant?
  /// When the announced retry begins; `nil` unless it was announced last.
  private var retryDue: EventLoop.Instant?
  /// When an announced retry or compaction, whose events may have been missed, is given up.
  private var giveUpAt: EventLoop.Instant?
  private var gap: Gap?
  private var hasMissedNews = false
  /// Whether the stream is open and all missed events were received.
  private var isUpToDate: Bool

  /// Missed news that only the trace can provide.
  private struct Gap {
    var catchUp: FeedState.CatchUp
    var loadAt: EventLoop.Instant
    /// Whether the trace was read once, and shows a turn that the status may not include.
    var isSecondLook = false
    /// Whether the stream has reported a turn since.
    var hasNews = false
    /// Whether the trace was asked for again at the end of the turn, which does not wait longer.
    var isTriedAtEnd = false
  }

  package init(feed: SessionFeed) {
    self.feed = feed
    let requests = feed.session.server.dialect?.requests ?? .permissions
    reducer = ActivityReducer(sessionID: feed.session.id, requests: requests)
    // A stream that was handed over has missed nothing.
    isUpToDate = feed.stream != nil
  }

  package var activity: Turn { reducer.activity }

  /// Returns the next news, or `nil` if the deadline comes first.
  package mutating func next(
    until deadline: EventLoop.Instant?
  ) async throws(OppiError) -> SessionNews? {
    if let gap, gap.loadAt <= loop.now { return try await load(gap) }
    let wake = [deadline, settleAt, sequelEnd, gap?.loadAt].compactMap(\.self).min()
    let news = try await feed.next(until: wake)
    switch news {
    case .changes(_, of: let message?):
      let moment = loop.timestamp()
      noteSequel(of: message)
      return .changes(apply { $0.apply(message, at: moment) }, of: message)
    case .caughtUp(let catchUp): meet(catchUp)
    case .renewing: loseStream()
    case .lost:
      hasMissedNews = true
      giveUpAt = nil
      loseStream()
    case .changes, .past, .givenUp: break
    case nil: return try await handleDue()
    }
    return news
  }

  private mutating func loseStream() {
    isUpToDate = false
    if reducer.mayBeRetried { settleAt = nil }
  }

  private var sequelEnd: EventLoop.Instant? { isUpToDate && gap == nil ? giveUpAt : nil }

  /// Handles what is due now; `nil` if nothing is.
  private mutating func handleDue() async throws(OppiError) -> SessionNews? {
    if let settleAt, settleAt <= loop.now {
      // The calls before the connection belong to the turn that ends.
      if var open = gap, !open.isTriedAtEnd {
        open.isTriedAtEnd = true
        open.catchUp.status = .ready
        gap = open
        return try await load(open)
      }
      return .changes(apply { $0.settle() }, of: nil)
    }
    if let gap, gap.loadAt <= loop.now { return try await load(gap) }
    guard let sequelEnd, sequelEnd <= loop.now else { return nil }
    return .changes(apply { $0.giveUpSequel() }, of: nil)
  }

  private mutating func apply(
    _ body: (inout ActivityReducer) -> [ActivityChange]
  ) -> [ActivityChange] {
    let changes = body(&reducer)
    let isPauseLikely = hasMissedNews && reducer.mayBeRetried
    let runGrace = reducer.awaitsReport ? Self.reportGrace : Self.grace
    let grace = isPauseLikely ? Self.pauseGrace : runGrace
    // The announcement of a retry may be among the messages still to come.
    let mayEnd = isUpToDate || !reducer.mayBeRetried
    settleAt = reducer.isSettling && mayEnd ? settleAt ?? loop.now + grace : nil
    // Without missed news, the stream reports what was announced.
    giveUpAt = reducer.awaitsSequel && hasMissedNews ? giveUpAt ?? sequelLimit : nil
    if !reducer.isSettling, settleAt == nil, reducer.activity.isFinished { hasMissedNews = false }
    for change in changes { update(gapBy: change) }
    return changes
  }

  private mutating func noteSequel(of message: ServerMessage) {
    switch message.kind {
    case .retryStart(_, _, let delay, _): retryDue = loop.now + delay
    case .compactionStart: retryDue = nil
    default: break
    }
  }

  private var sequelLimit: EventLoop.Instant {
    retryDue.map { max($0, loop.now) + Self.pauseGrace } ?? loop.now + Self.compactionGrace
  }

  /// Updates the gap's status: what the stream reports is newer than the status at the connection.
  private mutating func update(gapBy change: ActivityChange) {
    switch change {
    case .turnStarted:
      gap?.hasNews = true
      gap?.catchUp.status = .busy
      // The running turn belongs to the new agent.
      gap?.catchUp.isNewAgent = false
    case .turnFinished:
      gap?.hasNews = true
      gap?.catchUp.status = .ready
    default: break
    }
  }

  // MARK: - After a connection

  private mutating func meet(_ catchUp: FeedState.CatchUp) {
    let isAtWork = catchUp.status.isAtWork
    isUpToDate = true
    if !catchUp.isFirst, reducer.mayBeRetried { settleAt = loop.now + Self.pauseGrace }
    // After joining a turn, only the trace has its earlier calls. And if the session is idle while
    // news of a turn is expected, the turn was lost, unless the session pauses before a retry.
    let isLost = !isAtWork && reducer.expectsNews && !reducer.mayBeRetried
    let hasGap = catchUp.isFirst ? isAtWork : !catchUp.isComplete || isLost
    guard gap != nil || hasGap else { return }
    // A gap that is still open is loaded with the current state.
    var catchUp = catchUp
    catchUp.isNewAgent = catchUp.isNewAgent || gap?.catchUp.isNewAgent == true
    gap = Gap(catchUp: catchUp, loadAt: loop.now)
  }

  private mutating func load(_ open: Gap) async throws(OppiError) -> SessionNews {
    do {
      let (session, trace) = try await feed.trace()
      let catchUp = open.catchUp
      // The status is older than the trace: a turn may have started since, which the stream
      // reports.
      if !catchUp.status.isAtWork, !open.isSecondLook, reducer.mayHaveBegun(inTrace: trace) {
        let later = loop.now + Self.traceRetry
        gap = Gap(catchUp: catchUp, loadAt: later, isSecondLook: true, hasNews: open.hasNews)
        return .changes([], of: nil)
      }
      gap = nil
      let moment = loop.timestamp()
      var current = session
      // An older server lists what it stored up to a second ago.
      if !open.isSecondLook || open.hasNews { current.status = catchUp.status }
      let isNewAgent = catchUp.isNewAgent
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
}
