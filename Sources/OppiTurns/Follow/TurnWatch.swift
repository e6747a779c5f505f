// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiClient
package import OppiModel
import OppiWire

/// Watches a session's turn to its end and shows it.
package struct TurnWatch: Sendable {
  /// What the watch ends with.
  enum Scope: Sendable {
    /// The turn of the prompt that this program sent.
    case ownTurn
    /// The running turn, from any client.
    case anyTurn
    /// The session; turns may follow each other.
    case session
  }

  /// Long enough for a server's restart.
  private static let timeout = Duration.seconds(120)
  private static let answerPause = Duration.seconds(2)

  private let api: IntentAPIClient
  private let session: ServerSession
  private let scope: Scope
  private var loop: EventLoop { api.loop }
  package var onAsk = OnAsk.wait
  /// The end of the watch at the latest.
  package var deadline: EventLoop.Instant?
  /// Ends the watch if the agent has not started by then; `nil` for no such limit.
  var quietEnd: EventLoop.Instant?
  /// The most that an own turn may cost before it is stopped; `nil` for no such limit.
  package var costLimit: Dollars?
  /// The cost of an own turn.
  package private(set) var cost: TurnCost
  /// Whether an own turn has begun.
  private var hasBegun = false

  private var follower: TurnFollower
  /// Whether the observer was told that the connection is lost.
  private var isAway = false
  /// The requests to refuse again after a failed attempt, and when.
  private var unanswered: [HumanRequest] = []
  private var refuseAt: EventLoop.Instant?
  /// When the first attempt to refuse each of these requests failed.
  private var failing: [String: EventLoop.Instant] = [:]
  /// The refusals that no server has confirmed.
  private var refusals = RepliesOnStream()

  /// With `stream`, the watch continues on it.
  init(
    session: ServerSession,
    api: IntentAPIClient,
    scope: Scope,
    adopting stream: StreamHandover? = nil
  ) {
    self.api = api
    self.session = session
    self.scope = scope
    cost = TurnCost(isNewSession: false)
    var feed = SessionFeed(
      api: api,
      session: session,
      timeout: scope == .session ? nil : Self.timeout
    )
    if let stream { feed.adopt(stream) }
    follower = TurnFollower(feed: feed)
  }

  /// Watches the turn of a prompt that was just delivered.
  package init(
    session: ServerSession,
    api: IntentAPIClient,
    turnOf outcome: AskOutcome,
    prompt: String,
    isNewSession: Bool,
    adopting stream: StreamHandover
  ) {
    self.init(session: session, api: api, scope: .ownTurn, adopting: stream)
    cost = TurnCost(isNewSession: isNewSession)
    _ = follower.reducer.begin(
      clientTurnID: outcome.clientTurnID,
      prompt: prompt,
      isQueued: outcome.state == .queued,
      at: loop.timestamp()
    )
  }

  /// Watches to the end, and always closes the stream.
  package mutating func run(_ observer: inout any TurnObserver) async throws -> TurnEnding {
    do {
      let ending = try await watch(&observer)
      try await observer.end()
      await follower.feed.close()
      return ending
    } catch {
      try? await observer.end()
      await follower.feed.close()
      throw error
    }
  }

  /// The end of the watch because of a failure of the server: an own turn is reported as lost,
  /// because the server has its prompt.
  private func lost(_ error: OppiError) throws(OppiError) -> TurnEnding {
    guard scope == .ownTurn, !error.isCancellation else { throw error }
    return .lost(error, isOwnTurn: true)
  }

  private mutating func watch(_ observer: inout any TurnObserver) async throws -> TurnEnding {
    while true {
      let tick = observer.tick.map { loop.now + $0 }
      let wake = [tick, deadline, quietEnd, refuseAt].compactMap(\.self).min()
      let news: SessionNews?
      do {
        news = try await follower.next(until: wake)
      } catch {
        return try lost(error)
      }
      switch news {
      case .changes(let changes, let message):
        if let ending = try await account(for: message, changes) { return ending }
        if let ending = try await take(changes, isPast: false, &observer) { return ending }
      case .past(let changes):
        if let ending = try await take(changes, isPast: true, &observer) { return ending }
      case .lost(let error):
        if !isAway { try await observer.lost(error) }
        isAway = true
      case .caughtUp(let catchUp):
        if isAway || !catchUp.isFirst && !catchUp.isRenewal { try await observer.regained() }
        isAway = false
        if isTooLate(catchUp) { return .idle }
      case .renewing: break
      case .givenUp(let error): return .lost(error, isOwnTurn: scope == .ownTurn)
      case nil: try await observer.draw(follower.activity, at: loop.timestamp())
      }
      if let news, let lost = refusals.lost(in: news, of: follower.activity),
        let ending = refuseLater(lost)
      {
        return ending
      }
      if let refuseAt, refuseAt <= loop.now, let ending = try await refuseAgain() { return ending }
      if let deadline, deadline <= loop.now {
        if let absence = follower.feed.absence { return .timedOutAway(absence) }
        return .timedOut(need: follower.activity.need)
      }
      if let quietEnd, quietEnd <= loop.now, follower.activity.status == .idle {
        return .idle
      }
    }
  }

  /// Whether the turn ended before the watch began.
  private func isTooLate(_ catchUp: FeedState.CatchUp) -> Bool {
    scope == .anyTurn && quietEnd == nil && !catchUp.status.isAtWork
      && follower.activity.status == .idle
  }

  /// Shows changes up to the one that ends the watch, if it is among them.
  private mutating func take(
    _ changes: [ActivityChange],
    isPast: Bool,
    _ observer: inout any TurnObserver
  ) async throws -> TurnEnding? {
    let end = changes.firstIndex(where: isEnd)
    let shown = end.map { Array(changes[...$0]) } ?? changes
    // The same message may have started the next turn.
    let ended = shown.count < changes.count ? follower.reducer.previousTurn : nil
    try await observer.show(shown, ended ?? follower.activity, at: loop.timestamp(), isPast: isPast)
    await api.recorder?.remember(listed: shown.compactMap(\.need), of: session.id)
    return try await consider(shown)
  }

  private func isEnd(_ change: ActivityChange) -> Bool {
    guard case .turnFinished(_, let isOwn) = change else { return false }
    return scope == .anyTurn || (scope == .ownTurn && isOwn)
  }

  private mutating func consider(_ changes: [ActivityChange]) async throws -> TurnEnding? {
    for change in changes {
      switch change {
      case .turnStarted: quietEnd = nil
      case .turnFinished(let outcome, _) where isEnd(change): return .turn(outcome)
      case .sessionEnded:
        // The end of an idle session stopped no turn.
        guard scope == .session else { return .turn(.stopped(reason: "the session ended")) }
        return follower.activity.outcome.map(TurnEnding.turn) ?? .idle
      case .approvalRequested(let request, _):
        if let ending = try await answer(.permission(request)) { return ending }
      case .question(let question):
        if let ending = try await answer(.question(question)) { return ending }
      default: break
      }
    }
    return nil
  }

  // MARK: - Costs

  /// Counts the cost of an own turn, and stops a turn that exceeds its limit.
  private mutating func account(
    for message: ServerMessage?,
    _ changes: [ActivityChange]
  ) async throws -> TurnEnding? {
    guard scope == .ownTurn else { return nil }
    hasBegun = hasBegun || follower.reducer.isOwnTurn || changes.contains(where: isEnd)
    switch message?.kind {
    case .state(let state), .summary(let state):
      if state.id == session.id { cost.take(state.cost) }
    default: break
    }
    // The costs of the turn behind which the prompt is queued are not its own.
    if !hasBegun { cost.begin() }
    guard let costLimit, let spent = cost.spent, spent > costLimit,
      !follower.activity.isFinished, !changes.contains(where: isEnd)
    else { return nil }
    return try await stop()
  }

  private func stop() async throws(OppiError) -> TurnEnding? {
    do {
      return switch try await StopTurn(api: api).stopTurn(of: session) {
      case .alreadyIdle: nil
      case .failed(let reason): .turn(.unknown(reason: "over budget, not stopped: \(reason)"))
      case .stopped, .sessionEnded: .turn(.stopped(reason: Self.budgetReason))
      }
    } catch {
      return try lost(error)
    }
  }

  /// The reason of a turn that was stopped because of its cost.
  static let budgetReason = "budget"

  // MARK: - Automatic decisions

  private mutating func answer(_ need: HumanRequest) async throws -> TurnEnding? {
    // This program does not decide for another turn, behind which its prompt is queued.
    guard scope != .ownTurn || follower.reducer.isOwnTurn else { return nil }
    switch onAsk {
    case .wait: return nil
    case .fail: return .needsHuman(need)
    case .deny: return try await refuse(need)
    }
  }

  private mutating func refuseAgain() async throws(OppiError) -> TurnEnding? {
    let needs = unanswered
    unanswered = []
    refuseAt = nil
    for need in needs {
      if let ending = try await refuse(need) { return ending }
    }
    return nil
  }

  /// Denies a request or cancels a question; returns the end of the watch if that cannot work.
  private mutating func refuse(_ need: HumanRequest) async throws(OppiError) -> TurnEnding? {
    do throws(OppiError) {
      let flow = ReplyToRequest(
        need.refusal,
        to: need,
        of: session.id,
        on: session.server,
        api: api.onItsOwn,
        over: follower.feed.send
      )
      switch try await flow.send() {
      case .unknown: return refuseLater(need)
      case .unconfirmed: refusals.add(need.id)
      case .decided, .tooLate, .changed:
        failing[need.id] = nil
        guard let question = need.question, session.server.listsDialogs else { break }
        follower.reducer.answered(question: question.id)
      }
    } catch {
      // Retries after a transient failure.
      guard error.isPassing else { return try lost(error) }
      return refuseLater(need)
    }
    return nil
  }

  /// Repeats a refusal, because the first reply counts.
  ///
  /// If the server has taken none for longer than a restart takes, a human must decide; without a
  /// connection, it is not known whether the request is still pending.
  private mutating func refuseLater(_ need: HumanRequest) -> TurnEnding? {
    let begin = failing[need.id] ?? loop.now
    guard loop.now < begin + Self.timeout || follower.feed.absence != nil else {
      return .needsHuman(need)
    }
    failing[need.id] = begin
    unanswered.append(need)
    refuseAt = loop.now + Self.answerPause
    return nil
  }
}
