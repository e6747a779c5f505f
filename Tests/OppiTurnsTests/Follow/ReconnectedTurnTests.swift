// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

/// Turns that progress while the connection is down.
@Suite struct ReconnectedTurnTests {
  /// Follows a delivered prompt's turn to its end; calls `meddle` with every change.
  private static func outcome(
    of delivery: AskDelivery,
    _ prompt: String,
    _ flow: FlowWorld,
    meddle: (ActivityChange) async throws -> Void = { _ in }
  ) async throws -> TurnOutcome? {
    var session = flow.session(of: delivery.outcome)
    session.server.learn(delivery.outcome.stream)
    var feed = SessionFeed(api: try await flow.api, session: session, timeout: .seconds(60))
    feed.adopt(try #require(delivery.stream))
    var follower = TurnFollower(feed: feed)
    _ = follower.reducer.begin(
      clientTurnID: delivery.outcome.clientTurnID,
      prompt: prompt,
      isQueued: delivery.outcome.state == .queued,
      at: Timestamp(seconds: 0)
    )
    return try await outcome(of: &follower, until: flow.farOff) { change, _ in
      try await meddle(change)
    }
  }

  /// Follows to the end of a turn, and closes the stream; `nil` if it does not end by then.
  private static func outcome(
    of follower: inout TurnFollower,
    isOwn: Bool = true,
    until deadline: EventLoop.Instant,
    onChange: (ActivityChange, TurnFollower) async throws -> Void
  ) async throws -> TurnOutcome? {
    while true {
      switch try await follower.next(until: deadline) {
      case .changes(let changes, _), .past(let changes):
        for change in changes {
          try await onChange(change, follower)
          guard case .turnFinished(let outcome, isOwn) = change else { continue }
          await follower.feed.close()
          return outcome
        }
      case .lost, .renewing, .caughtUp: break
      case .givenUp, nil: return nil
      }
    }
  }

  @Test(
    "a turn that ends before its first event is received is reported with its outcome",
    arguments: Dialect.withTokens,
    [
      ("hello", .succeeded(answer: "The command printed: hi"), false),
      ("two tools", .succeeded(answer: "Both are done."), false), ("empty", .empty, false),
      ("hello", .succeeded(answer: "The command printed: hi"), true),
    ] as [(String, TurnOutcome, Bool)]
  )
  func endedInGap(
    dialect: Dialect,
    turn: (prompt: String, outcome: TurnOutcome, isSessionStopped: Bool)
  ) {
    inFlowWorld(dialect) { flow in
      flow.world.network.cut(after: "\"stage\":\"dispatched\"", isGap: true)
      var limits = PromptDelivery.Limits()
      limits.total = nil
      let delivery = try await flow.ask(turn.prompt, limits: limits, waitingForTurn: true)
      #expect(delivery.outcome.state == .accepted)
      try await flow.pass()
      flow.world.set(.none)
      if turn.isSessionStopped { try await flow.stop(flow.session(of: delivery.outcome)) }
      let outcome = try await Self.outcome(of: delivery, turn.prompt, flow)
      // The messages of today's server are gone with the agent, which may have been ended in the
      // middle of the answer in the trace.
      if turn.isSessionStopped, dialect.stream == .session {
        #expect(outcome?.word == "unknown")
      } else {
        #expect(outcome == turn.outcome)
      }
      #expect(flow.server.heard == [turn.prompt])
    }
  }

  @Test("a retry that was cancelled in a gap is given up when it is overdue")
  func cancelledRetry() {
    inFlowWorld(.multiplexed, where: \.retryDelay, is: .seconds(20)) { flow in
      flow.world.network.cut(after: "\"retry_start\"", isGap: true)
      let delivery = try await flow.ask("retry", waitingForTurn: true)
      let session = flow.session(of: delivery.outcome)
      let begin = flow.world.loop.now
      // An older server does not keep the message that reports the cancellation.
      let outcome = try await Self.outcome(of: delivery, "retry", flow) { change in
        guard case .notice(let text) = change, text.hasPrefix("Retry 1 of 3") else { return }
        flow.world.set(.none)
        _ = try await StopTurn(api: flow.api).stopTurn(of: session)
      }
      #expect(outcome?.word == "failed")
      let wait = flow.world.loop.now - begin
      #expect(wait > .seconds(34) && wait < .seconds(37), "\(wait)")
      #expect(flow.server.heard == ["retry"])
    }
  }

  @Test(
    "what a joined turn did before is read at its end if the server did not list it earlier",
    arguments: [Dialect.sessionSockets, .multiplexed]
  )
  func listedAtTheEnd(dialect: Dialect) {
    let trouble = Trouble()
    // Only today's servers report that nothing follows a run.
    inFlowWorld(dialect, where: \.interceptor, is: trouble.interceptor) { flow in
      let session = flow.session(of: try await flow.ask("slow").outcome)
      try await flow.pass()
      let api = try await flow.api
      var follower = TurnFollower(feed: SessionFeed(api: api, session: session, timeout: nil))
      while let news = try await follower.next(until: flow.farOff) {
        if case .caughtUp = news { break }
      }
      let trace = "/sessions/\(session.id)" + (dialect == .multiplexed ? "" : "/trace?include=all")
      trouble.at(trace, .answer(status: 503, error: "starting"))
      if case .changes([], of: nil)? = try await follower.next(until: flow.farOff) {
      } else {
        Issue.record("it was listed")
      }
      trouble.end()
      await flow.server.releaseTool(inSession: session.id)
      var texts: [String] = []
      let answer = "The slow work is done."
      let outcome = try await Self.outcome(of: &follower, isOwn: false, until: flow.farOff) {
        change,
        _ in
        if case .textFinished(let text) = change { texts.append(text) }
      }
      #expect(outcome == .succeeded(answer: answer))
      #expect(texts == [answer, "Starting slow work."])
    }
  }

  /// Joins the session, and joins it again after its server was killed.
  private static func replaceAgent(
    _ follower: inout TurnFollower,
    _ flow: FlowWorld
  ) async throws {
    var joins = 0
    while joins < 2, let news = try await follower.next(until: flow.farOff) {
      guard case .caughtUp = news else { continue }
      joins += 1
      guard joins == 1 else { continue }
      await flow.server.end(.killed)
      try flow.server.start()
    }
  }

  @Test("a turn whose agent is replaced before its earlier events could be read has no known end")
  func replacedInGap() {
    let trouble = Trouble()
    inFlowWorld(where: \.interceptor, is: trouble.interceptor) { flow in
      let session = flow.session(of: try await flow.ask("slow").outcome)
      try await flow.pass()
      let api = try await flow.api
      var follower = TurnFollower(feed: SessionFeed(api: api, session: session, timeout: nil))
      trouble.at("/trace?include=all", .answer(status: 503, error: "starting"))
      try await Self.replaceAgent(&follower, flow)
      trouble.end()
      let outcome = try await Self.outcome(of: &follower, isOwn: false, until: flow.farOff) {
        _,
        _ in
      }
      #expect(outcome?.word == "unknown")
    }
  }

  @Test("a turn of the agent that replaced another one before a trace could be read is not lost")
  func startedInGap() {
    let trouble = Trouble()
    inFlowWorld {
      ($0.interceptor, $0.pace) = (trouble.interceptor, .seconds(1))
    } _: { flow in
      let session = flow.session(of: try await flow.ask("two tools").outcome)
      try await flow.pass(.seconds(60))
      let api = try await flow.api
      var follower = TurnFollower(feed: SessionFeed(api: api, session: session, timeout: nil))
      trouble.at("/trace?include=all", .answer(status: 503, error: "starting"))
      try await Self.replaceAgent(&follower, flow)
      _ = try await flow.ask("hello", in: session)
      let outcome = try await Self.outcome(of: &follower, isOwn: false, until: flow.farOff) {
        change,
        _ in
        if case .turnStarted = change { trouble.end() }
      }
      #expect(outcome == .succeeded(answer: "The command printed: hi"))
    }
  }
}
