// SPDX-License-Identifier: MIT

import CommandTable
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
  /// How a watched turn came to its end, as far as it did.
  enum Ending {
    case turn(TurnOutcome)
    /// There was no turn to watch.
    case idle
    /// A human is needed and nobody is to wait for one.
    case needsHuman(String)
    case timedOut
    /// The server was away for too long.
    case lost(IntentError)
  }

  /// A server that restarts is back by then; a machine that is switched off is not.
  private static let patience = Duration.seconds(120)
  private static let answerLimit = Duration.seconds(5)

  let context: Context
  let session: ServerSession
  let api: IntentAPIClient
  var follower: TurnFollower
  var onAsk = OnAsk.wait
  var deadline: EventLoop.Instant?
  /// Ends where the agent is not at work when the watch begins.
  var endsWhenIdle = false
  /// Goes on after a turn's end, for ever.
  var isEndless = false

  private var lostAt: EventLoop.Instant?

  init(
    context: Context,
    session: ServerSession,
    api: IntentAPIClient,
    adopting stream: OpenStream? = nil
  ) {
    self.context = context
    self.session = session
    self.api = api
    let feed = SessionFeed(api: api, session: session, adopting: stream, newID: context.newID)
    follower = TurnFollower(feed: feed, sessionID: session.id, now: context.now)
    if stream != nil { follower.begin() }
  }

  /// Watches until the end, and says goodbye to the server whatever happens.
  mutating func run(_ view: inout any ActivityView) async throws -> Ending {
    do {
      let ending = try await watch(&view)
      try view.end()
      await follower.close()
      return ending
    } catch {
      try? view.end()
      await follower.close()
      throw error
    }
  }

  private mutating func watch(_ view: inout any ActivityView) async throws -> Ending {
    while true {
      let tick = view.tick.map { EventLoop.Instant.now + $0 }
      let step = try await follower.next(
        until: [tick, deadline, patienceEnd].compactMap(\.self).min()
      )
      switch step {
      case .changes(let changes):
        try view.show(changes, follower.activity, at: context.now())
        if let ending = try await consider(changes, &view) { return ending }
        if endsWhenIdle, follower.isBusyAtStart == false { return .idle }
      case .lost(let error, let pause):
        lostAt = lostAt ?? .now
        try view.note(
          "connection lost (\(OppiError(error).message)); trying again in \(pause.milliseconds) ms"
        )
        if let patienceEnd, patienceEnd <= .now { return .lost(error) }
      case .reconnected:
        lostAt = nil
        try view.note("connected again")
      case .timeCame:
        try view.draw(follower.activity, at: context.now())
      }
      if let deadline, deadline <= .now { return .timedOut }
    }
  }

  private var patienceEnd: EventLoop.Instant? {
    isEndless ? nil : lostAt.map { $0 + Self.patience }
  }

  private mutating func consider(
    _ changes: [ActivityChange],
    _ view: inout any ActivityView
  ) async throws -> Ending? {
    for change in changes {
      switch change {
      case .turnFinished(let outcome) where !isEndless: return .turn(outcome)
      case .sessionEnded(let reason) where !isEndless: return .turn(.ended(reason: reason))
      case .approvalRequested(let request, _):
        let need = "\(request.tool): \(request.summary.safeLine(limit: 200))"
        if let ending = try await answer(need, by: { try await deny(request) }) { return ending }
      case .question(let question):
        let need = "question: \(question.title)"
        if let ending = try await answer(need, by: { try await cancel(question) }) {
          return ending
        }
      default: break
      }
    }
    return nil
  }

  private func answer(_ need: String, by refusing: () async throws -> Void) async throws -> Ending?
  {
    switch onAsk {
    case .wait: return nil
    case .fail: return .needsHuman(need)
    case .deny:
      try await refusing()
      return nil
    }
  }

  private func deny(_ request: PermissionRequest) async throws {
    let decider = PermissionDecider(api: api, newID: context.newID)
    _ = try await decider.decide(.deny, request, of: session, sending: follower.send)
  }

  private func cancel(_ question: UserQuestion) async throws {
    try await follower.send(
      .answer(questionID: question.id, .cancelled),
      id: context.newID(),
      until: .now + Self.answerLimit
    )
  }
}
