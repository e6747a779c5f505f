// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiTransport

/// What becomes of a turn that asks for a human.
enum OnAsk: String, Sendable, CaseIterable, ArgumentValue {
  /// A human will see to it.
  case wait
  /// Approvals are denied and questions left unanswered, and the agent goes on.
  case deny
  /// The command ends with its own status, and the agent waits.
  case fail
}

/// Watches a session's turn to its end and shows it meanwhile.
struct TurnWatch {
  /// Whose end is the watch's end.
  enum Scope {
    /// The turn of the prompt that this program handed over.
    case ownTurn
    /// The turn that runs, whoever asked for it.
    case anyTurn
    /// Only the session's.
    case session
  }

  /// A server that restarts is back by then; a machine that is switched off is not.
  private static let patience = Duration.seconds(120)
  private static let answerLimit = Duration.seconds(5)
  private static let answerPause = Duration.seconds(2)

  let context: Context
  let api: IntentAPIClient
  let scope: Scope
  var onAsk = OnAsk.wait
  var deadline: EventLoop.Instant?
  /// Until then the agent must have been seen at work; `nil` where it may begin at any time.
  var quietEnd: EventLoop.Instant?

  private var follower: TurnFollower
  /// Whom to refuse again, since the server could not be told, and when.
  private var unanswered: [Refusable] = []
  private var refuseAt: EventLoop.Instant?

  private enum Refusable {
    case approval(PermissionRequest)
    case question(UserQuestion)
  }

  init(context: Context, session: ServerSession, api: IntentAPIClient, scope: Scope) {
    self.init(context: context, session: session, api: api, scope: scope) { _ in }
  }

  /// Watches the turn of a prompt that was just handed over.
  init(
    context: Context,
    session: ServerSession,
    api: IntentAPIClient,
    turnOf outcome: AskOutcome,
    prompt: String,
    adopting stream: OpenStream
  ) {
    self.init(context: context, session: session, api: api, scope: .ownTurn) { $0.adopt(stream) }
    follower.begin(
      prompt,
      clientTurnID: outcome.clientTurnID,
      isQueued: outcome.state == .queued
    )
  }

  private init(
    context: Context,
    session: ServerSession,
    api: IntentAPIClient,
    scope: Scope,
    prepare: (inout SessionFeed) -> Void
  ) {
    self.context = context
    self.api = api
    self.scope = scope
    var feed = SessionFeed(
      api: api,
      session: session,
      patience: scope == .session ? nil : Self.patience,
      newID: context.newID
    )
    prepare(&feed)
    follower = TurnFollower(feed: feed, sessionID: session.id, now: context.now)
  }

  /// Watches to the end, and says goodbye to the server whatever happens.
  mutating func run(_ view: inout any ActivityView) async throws -> TurnEnding {
    do {
      let ending = try await watch(&view)
      try await view.end()
      await follower.close()
      return ending
    } catch {
      try? await view.end()
      await follower.close()
      throw error
    }
  }

  private mutating func watch(_ view: inout any ActivityView) async throws -> TurnEnding {
    while true {
      let tick = view.tick.map { context.loop.now + $0 }
      let wake = [tick, deadline, quietEnd, refuseAt].compactMap(\.self).min()
      switch try await follower.next(until: wake) {
      case .changes(let changes, _):
        if let ending = try await take(changes, isPast: false, &view) { return ending }
      case .past(let changes):
        if let ending = try await take(changes, isPast: true, &view) { return ending }
      case .lost(let error, let pause):
        try await view.note(
          "connection lost (\(OppiError(error).message)); trying again in \(pause.milliseconds) ms"
        )
      case .standing(let standing):
        if !standing.isFirst { try await view.note("connected again") }
        if isTooLate(standing) { return .idle }
      case .givenUp(let error): return .lost(error, isOwnTurn: scope == .ownTurn)
      case .timeCame: try await view.draw(follower.activity, at: context.now())
      }
      if let refuseAt, refuseAt <= context.loop.now { try await refuseAgain() }
      if let deadline, deadline <= context.loop.now {
        return .timedOut(need: follower.activity.need)
      }
      if let quietEnd, quietEnd <= context.loop.now, follower.activity.status == .idle {
        return .idle
      }
    }
  }

  /// Whether the turn that was to be watched was over before anybody looked.
  private func isTooLate(_ standing: FeedState.Standing) -> Bool {
    standing.isFirst && scope == .anyTurn && quietEnd == nil && !standing.status.isAtWork
  }

  /// Shows changes up to the watch's end, where that is among them.
  private mutating func take(
    _ changes: [ActivityChange],
    isPast: Bool,
    _ view: inout any ActivityView
  ) async throws -> TurnEnding? {
    let end = changes.firstIndex(where: isEnd)
    let shown = end.map { Array(changes[...$0]) } ?? changes
    // The next turn may have begun with the same message.
    let ended = shown.count < changes.count ? follower.reducer.previousTurn : nil
    try await view.show(shown, ended ?? follower.activity, at: context.now(), isPast: isPast)
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
      case .sessionEnded: return .turn(.stopped(reason: "the session ended"))
      case .approvalRequested(let request, _):
        if let ending = try await answer(.approval(request), request.need) { return ending }
      case .question(let question):
        if let ending = try await answer(.question(question), question.need) { return ending }
      default: break
      }
    }
    return nil
  }

  // MARK: - In place of a human

  private mutating func answer(_ item: Refusable, _ need: String) async throws -> TurnEnding? {
    // Another's turn, behind which this program's prompt waits, is another's to decide.
    guard scope != .ownTurn || follower.reducer.isOwnTurn else { return nil }
    switch onAsk {
    case .wait: return nil
    case .fail: return .needsHuman(need)
    case .deny:
      try await refuse(item)
      return nil
    }
  }

  private mutating func refuseAgain() async throws {
    let items = unanswered
    unanswered = []
    refuseAt = nil
    for item in items { try await refuse(item) }
  }

  private mutating func refuse(_ item: Refusable) async throws {
    do throws(IntentError) {
      switch item {
      case .approval(let request):
        let decider = PermissionDecider(api: api, newID: context.newID)
        _ = try await decider.decide(.deny, request, sending: follower.send)
      case .question(let question):
        try await follower.send(
          .answer(questionID: question.id, .cancelled),
          id: context.newID(),
          until: context.loop.now + Self.answerLimit
        )
      }
    } catch {
      // A server that cannot be told for the moment is told a little later.
      guard error.isPassing else { throw error }
      unanswered.append(item)
      refuseAt = context.loop.now + Self.answerPause
    }
  }
}
