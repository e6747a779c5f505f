// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// The activity of a session that is followed across lost connections, and when its turn ends; no
/// input or output.
///
/// The end of a turn is reported only when it is final: a retry, a compaction or a message may
/// follow a run, and what a lost connection has missed may be known from the trace only. The owner
/// passes on the news of a ``FeedState``, calls ``due(at:)`` at ``wakeAt``, and reads the trace when
/// that asks for it.
package struct FollowState: Sendable {
  /// Time since the feed started.
  package typealias Moment = FeedState.Moment

  /// What is to be done because time has passed.
  package enum Due: Sendable, Equatable {
    /// Read the session and its trace; answer: ``loaded(_:_:at:on:)`` or ``notLoaded(at:)``.
    case load
    case changes([ActivityChange])
  }

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
  package var reducer: ActivityReducer
  private var settleAt: Moment?
  /// When the announced retry begins; `nil` unless it was announced last.
  private var retryDue: Moment?
  /// When an announced retry or compaction, whose events may have been missed, is given up.
  private var giveUpAt: Moment?
  private var gap: Gap?
  private var hasMissedNews = false
  /// Whether the stream is open and all missed events were received.
  private var isUpToDate: Bool

  /// Missed news that only the trace can provide.
  private struct Gap {
    var catchUp: FeedState.CatchUp
    var loadAt: Moment
    /// Whether the trace was read once, and shows a turn that the status may not include.
    var isSecondLook = false
    /// Whether the stream has reported a turn since.
    var hasNews = false
    /// Whether the trace was asked for again at the end of the turn, which does not wait longer.
    var isTriedAtEnd = false
  }

  /// Follows a session from now on; a stream that is open has missed nothing.
  package init(_ reducer: ActivityReducer, isStreamOpen: Bool) {
    (self.reducer, isUpToDate) = (reducer, isStreamOpen)
  }

  // MARK: - News

  /// Handles a message of the stream; `time` is the wall-clock time.
  package mutating func receive(
    _ message: ServerMessage,
    at now: Moment,
    on time: Timestamp
  ) -> [ActivityChange] {
    switch message.kind {
    case .retryStart(_, _, let delay, _): retryDue = now + delay
    case .compactionStart: retryDue = nil
    // The trace has what the gap lacks; without it, the turn ends all the same.
    case .agentSettled where reducer.isSettling && gap?.isTriedAtEnd == false:
      settleAt = now
      return []
    default: break
    }
    return apply(at: now) { $0.apply(message, at: time) }
  }

  /// Handles the loss of the stream; one that ends as planned is replaced at once.
  package mutating func lost(asPlanned: Bool) {
    isUpToDate = false
    if reducer.mayBeRetried { settleAt = nil }
    guard !asPlanned else { return }
    hasMissedNews = true
    giveUpAt = nil
  }

  /// Handles a stream that is open and has caught up.
  package mutating func caughtUp(_ catchUp: FeedState.CatchUp, at now: Moment) {
    let isAtWork = catchUp.status.isAtWork
    isUpToDate = true
    if !catchUp.isFirst, reducer.mayBeRetried { settleAt = now + Self.pauseGrace }
    // After joining a turn, only the trace has its earlier calls. And if the session is idle while
    // news of a turn is expected, the turn was lost, unless the session pauses before a retry.
    let isLost = !isAtWork && reducer.expectsNews && !reducer.mayBeRetried
    let hasGap = isLost || (catchUp.isFirst ? isAtWork : !catchUp.isComplete)
    guard gap != nil || hasGap else { return }
    // A gap that is still open is loaded with the current state.
    var catchUp = catchUp
    catchUp.isNewAgent = catchUp.isNewAgent || gap?.catchUp.isNewAgent == true
    gap = Gap(catchUp: catchUp, loadAt: now)
  }

  // MARK: - Time

  /// When ``due(at:)`` is to be called; `nil` if only news can change anything.
  package var wakeAt: Moment? { [settleAt, sequelEnd, loadAt].compactMap(\.self).min() }

  /// When the trace is to be read: not while the stream is away, because the events that it passes on
  /// when it is open again may be older than the trace.
  private var loadAt: Moment? { isUpToDate ? gap?.loadAt : nil }

  private var sequelEnd: Moment? { isUpToDate && gap == nil ? giveUpAt : nil }

  /// Whether the trace is to be read before any more news is awaited.
  package func mustLoad(at now: Moment) -> Bool { loadAt.map { $0 <= now } ?? false }

  /// Handles what is due now; `nil` if nothing is.
  package mutating func due(at now: Moment) -> Due? {
    if let settleAt, settleAt <= now {
      // The calls before the connection belong to the turn that ends.
      if let open = gap, !open.isTriedAtEnd {
        gap?.isTriedAtEnd = true
        gap?.catchUp.status = .ready
        return .load
      }
      return .changes(apply(at: now) { $0.settle() })
    }
    if mustLoad(at: now) { return .load }
    guard let sequelEnd, sequelEnd <= now else { return nil }
    return .changes(apply(at: now) { $0.giveUpSequel() })
  }

  private mutating func apply(
    at now: Moment,
    _ body: (inout ActivityReducer) -> [ActivityChange]
  ) -> [ActivityChange] {
    let changes = body(&reducer)
    let isPauseLikely = hasMissedNews && reducer.mayBeRetried
    let runGrace = reducer.awaitsReport ? Self.reportGrace : Self.grace
    let grace = isPauseLikely ? Self.pauseGrace : runGrace
    // The announcement of a retry may be among the messages still to come.
    let mayEnd = isUpToDate || !reducer.mayBeRetried
    let hadEnd = settleAt != nil
    settleAt = reducer.isSettling && mayEnd ? settleAt ?? now + grace : nil
    // The status at the connection no longer holds; the trace is read when the end is final.
    if let settleAt, !hadEnd { gap?.loadAt = settleAt }
    // Without missed news, the stream reports what was announced.
    giveUpAt =
      reducer.awaitsSequel && hasMissedNews ? giveUpAt ?? sequelLimit(at: now) : nil
    if !reducer.isSettling, settleAt == nil, reducer.activity.isFinished { hasMissedNews = false }
    for change in changes { update(gapBy: change) }
    return changes
  }

  private func sequelLimit(at now: Moment) -> Moment {
    retryDue.map { max($0, now) + Self.pauseGrace } ?? now + Self.compactionGrace
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

  // MARK: - The trace

  /// Handles the session and its trace; returns the changes of the past, or `nil` if the trace is to
  /// be read again.
  package mutating func loaded(
    _ session: Session,
    _ trace: JSONValue,
    at now: Moment,
    on time: Timestamp
  ) -> [ActivityChange]? {
    guard let open = gap else { return nil }
    let catchUp = open.catchUp
    // The status is older than the trace: a turn may have started since, which the stream reports.
    if !catchUp.status.isAtWork, !open.isSecondLook, reducer.mayHaveBegun(inTrace: trace) {
      gap = Gap(
        catchUp: catchUp,
        loadAt: now + Self.traceRetry,
        isSecondLook: true,
        hasNews: open.hasNews
      )
      return nil
    }
    gap = nil
    var current = session
    // An older server lists what it stored up to a second ago.
    if !open.isSecondLook || open.hasNews { current.status = catchUp.status }
    let isNewAgent = catchUp.isNewAgent
    return apply(at: now) {
      $0.load(trace: trace, session: current, isAgentLost: isNewAgent, at: time)
    }
  }

  /// Handles a trace that cannot be read now.
  package mutating func notLoaded(at now: Moment) { gap?.loadAt = now + Self.traceRetry }
}
