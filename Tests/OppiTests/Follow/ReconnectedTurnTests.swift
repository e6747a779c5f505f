// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import Oppi

/// Turns that progress while the connection is down.
@Suite struct ReconnectedTurnTests {
  /// Follows a delivered prompt's turn to its end; calls `meddle` with every change.
  private static func outcome(
    of delivery: AskDelivery,
    _ prompt: String,
    _ desk: Bench.Desk,
    meddle: (ActivityChange) async throws -> Void = { _ in }
  ) async throws -> TurnOutcome? {
    var session = desk.session(of: delivery.outcome)
    session.server.learn(delivery.outcome.stream)
    var feed = SessionFeed(api: desk.api, session: session, timeout: .timeout)
    feed.adopt(try #require(delivery.stream))
    var follower = TurnFollower(feed: feed)
    _ = follower.reducer.begin(
      clientTurnID: delivery.outcome.clientTurnID,
      prompt: prompt,
      isQueued: delivery.outcome.state == .queued,
      at: Timestamp(seconds: 0)
    )
    let deadline = EventLoop.Instant.farOff
    while true {
      switch try await follower.next(until: deadline) {
      case .changes(let changes, _), .past(let changes):
        for change in changes {
          try await meddle(change)
          guard case .turnFinished(let outcome, isOwn: true) = change else { continue }
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
    arguments: Bench.allDialects,
    [
      ("hello", .succeeded(answer: "The command printed: hi"), false),
      ("two tools", .succeeded(answer: "Both are done."), false), ("empty", .empty, false),
      // The answer is only in the trace, because the agent is gone.
      ("hello", .succeeded(answer: "The command printed: hi"), true),
    ] as [(String, TurnOutcome, Bool)]
  )
  func endedInGap(
    dialect: Dialect,
    turn: (prompt: String, outcome: TurnOutcome, isSessionStopped: Bool)
  ) async throws {
    let bench = try Bench(dialect)
    let (progress, outcome) = try await bench.run {
      [relay = bench.relay, server = bench.server] desk in
      relay.cut(after: "\"stage\":\"dispatched\"")
      var limits = PromptDelivery.Limits()
      limits.total = nil
      let delivery = try await desk.ask(turn.prompt, limits: limits, waitingForTurn: true)
      let id = try await server.wait { !$0.runs.isEmpty }.runs[0].sessionID
      try await desk.poll(id) { $0.contains { $0.kind == .agentEnd } }
      if turn.isSessionStopped {
        let workspace = desk.workspace.workspace.id
        try await desk.direct.until(.farOff).stopSession(id, workspaceID: workspace)
      }
      relay.release()
      return (delivery.outcome.state, try await Self.outcome(of: delivery, turn.prompt, desk))
    }
    #expect(progress == .accepted)
    #expect(outcome == turn.outcome)
    #expect(bench.server.journal.runs.map(\.text) == [turn.prompt])
  }

  @Test(
    "a queued prompt that is answered in the gap gets its own answer",
    arguments: Bench.allDialects
  )
  func queuedInGap(dialect: Dialect) async throws {
    let bench = try Bench(dialect)
    let (progress, outcome) = try await bench.run { [relay = bench.relay] desk in
      let session = desk.session(of: try await desk.ask("silent").outcome)
      relay.cut(after: "\"stage\":\"dispatched\"")
      let delivery = try await desk.ask("two tools", in: session, waitingForTurn: true)
      try await desk.poll(session.id) { $0.contains { $0.kind == .agentEnd } }
      relay.release()
      return (delivery.outcome.state, try await Self.outcome(of: delivery, "two tools", desk))
    }
    #expect(progress == .queued)
    #expect(outcome == .succeeded(answer: "Both are done."))
    #expect(bench.server.journal.runs.map(\.text) == ["silent", "two tools"])
  }

  @Test(
    "a turn that is killed while its text streams is unknown, even if an equal prompt was answered",
    arguments: Bench.allDialects,
    [0, 1]
  )
  func killedInText(dialect: Dialect, completeTexts: Int) async throws {
    let bench = try Bench(dialect) { $0.pace = .milliseconds(10) }
    let (outcomes, next) = try await bench.run { [server = bench.server] desk in
      var kept: RunningServer?
      let first = try await desk.ask("hello", id: "first", waitingForTurn: true)
      var outcomes = [try await Self.outcome(of: first, "hello", desk)]
      let session = desk.session(of: first.outcome)
      let second = try await desk.ask("hello", in: session, id: "second", waitingForTurn: true)
      var texts = 0
      outcomes.append(
        try await Self.outcome(of: second, "hello", desk) { change in
          if case .textFinished = change { texts += 1 }
          guard case .text = change, texts == completeTexts, kept == nil else { return }
          let remains = await server.crash()
          kept = try FakeServer.start(server.configuration, from: remains)
        }
      )
      return (outcomes, kept)
    }
    #expect(outcomes.first == .succeeded(answer: "The command printed: hi"))
    guard case .unknown?? = outcomes.last else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(next?.journal.runs.isEmpty == true)
  }
}
