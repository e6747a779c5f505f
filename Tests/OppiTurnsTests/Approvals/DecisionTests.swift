// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

/// Decisions and stops, and the server's responses to them.
@Suite struct DecisionTests {
  @Test(
    "a late decision and a missing route have different results",
    arguments: Dialect.both
  )
  func decisions(dialect: Dialect) {
    let isCurrent = dialect == .multiplexed
    inFlowWorld(dialect) { flow in
      let (delivery, request) = try await flow.approval()
      let calls = try await flow.calls
      let first = try await calls.decide(.deny, permissionID: request.id)
      #expect(first == (isCurrent ? .decided : .noRoute))
      let second = try await calls.decide(.allow, permissionID: request.id)
      #expect(second == (isCurrent ? .tooLate : .noRoute))
      let unknown = try await calls.decide(.deny, permissionID: "unknown")
      #expect(unknown == (isCurrent ? .tooLate : .noRoute))
      // Without the route the request stays pending.
      let pending = try await calls.pendingPermissions(sessionID: delivery.outcome.sessionID)
      #expect(pending.map(\.id) == (isCurrent ? [] : [request.id]))
    }
  }

  @Test("a second decision on a request is reported as too late")
  func afterOthers() {
    inFlowWorld(.gated) { flow in
      let (_, request) = try await flow.approval()
      var outcomes: [DecisionOutcome] = []
      for decision in [PermissionDecision.deny, .allow] {
        let reply = ReplyToRequest(
          .decision(decision),
          to: .permission(request),
          on: flow.paired[0],
          api: try await flow.api
        )
        outcomes.append(try await reply.send())
      }
      #expect(outcomes == [.decided, .tooLate])
    }
  }

  @Test("a decision is sent over the stream on an older server, without confirmation")
  func overTheStream() {
    inFlowWorld(.perSession) { flow in
      let (delivery, request) = try await flow.approval(waitingForTurn: true)
      var session = flow.session(of: delivery.outcome)
      session.server.dialect = .perSession
      let api = try await flow.api
      var feed = SessionFeed(api: api, session: session, timeout: .zero)
      feed.adopt(try #require(delivery.stream))
      let reply = ReplyToRequest(
        .decision(.deny),
        to: .permission(request),
        on: session.server,
        api: api,
        over: feed.send
      )
      #expect(try await reply.send() == .unconfirmed)
      try await flow.pass()
      #expect(try await flow.status(of: session) == .ready)
      await feed.close()
    }
  }

  @Test(
    "two stops that do not succeed are both reported as failed",
    arguments: Dialect.both,
    [false, true]
  )
  func twoStops(dialect: Dialect, isOneAfterTheOther: Bool) {
    inFlowWorld(dialect) { configuration in
      configuration.limits.stopTimeouts = (.seconds(6), .seconds(1))
      // Every decision is rejected or ignored, so that no stop succeeds.
      configuration.interceptor = { step in
        if step.isRequest("/respond") {
          return .answer(status: 404, error: "Permission request not found")
        }
        if step.isMessage("permission_response") { return .ignore }
        // Simultaneous stops: both streams are open before the server handles either stop.
        let isHeld = !isOneAfterTheOther && step.isMessage("stop")
        return isHeld ? .proceedAfter(.seconds(2)) : .proceed
      }
    } _: { flow in
      let session = flow.session(of: try await flow.approval().delivery.outcome)
      let stopping = StopTurn(api: try await flow.api)
      async let first = stopping.stopTurn(of: session)
      if isOneAfterTheOther {
        try await flow.pass(.seconds(2))
        #expect(flow.server.messages.contains { $0.type == "stop" })
      }
      async let second = stopping.stopTurn(of: session)
      for outcome in [try await first, try await second] {
        if case .failed = outcome {} else { Issue.record("\(outcome)") }
      }
      #expect(flow.server.runs.count == 1)
    }
  }

  @Test(
    "a stop resolves the approval that blocks another client's earlier stop",
    arguments: Dialect.both
  )
  func stopBehindStop(dialect: Dialect) {
    inFlowWorld(dialect) { flow in
      let delivery = try await flow.approval(waitingForTurn: true).delivery
      let session = flow.session(of: delivery.outcome)
      let socket = try #require(delivery.stream?.socket)
      try await socket.send([.init(.stop, id: "raw")], to: session.id, until: flow.farOff)
      try await flow.pass()
      let outcome = try await StopTurn(api: try await flow.api).stopTurn(of: session)
      await socket.close()
      #expect(outcome == .stopped(dropped: 0))
      #expect(flow.server.messages.count { $0.type == "stop" } == 1)
    }
  }
}

/// Replies to requests that are interrupted, or whose connection is lost, before the server confirms
/// them.
@Suite struct InterruptedReplyTests {
  /// Runs a reply, interrupts it while the server is silent, and returns what it reported.
  private static func interrupted(
    _ words: [String],
    in world: World,
    _ trouble: Trouble,
    at isReply: @escaping @Sendable (Step) -> Bool
  ) async throws -> Program.Outcome {
    trouble.begin { isReply($0) ? .hang : .proceed }
    let running = world.run(words)
    try await world.pass(.seconds(1))
    return await running.end()
  }

  @Test(
    "an interrupted reply says that it may have been given",
    arguments: [
      (DecidingPerson.Kind.permission, "approve"), (.permission, "deny"), (.dialog, "answer"),
    ]
  )
  func reply(kind: DecidingPerson.Kind, command: String) {
    DecisionSurfaceTests.withServer(of: kind) { world, _, trouble in
      let id = try await world.request(asking: kind == .permission ? "deploy" : "gate")
      let words = [command, "--", id] + (kind == .dialog ? ["Yes"] : [])
      let outcome = try await Self.interrupted(words, in: world, trouble) {
        $0.isRequest("/respond") || $0.isRequest("/command")
      }
      #expect(outcome.status == 6, "\(outcome)")
      let thing = kind == .permission ? "request" : "question"
      #expect(outcome.errors.contains("could not confirm that \(thing) \(id)"), "\(outcome)")
    }
  }

  @Test("a chat says that a decision whose response is lost may have been made")
  func chat() {
    inTroubledWorld(.gated) { world, server, trouble in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("deploy", see: "waiting for approval")
      trouble.at("/respond", .drop)
      try await talk.choose("a")
      try await talk.see("the server did not confirm it")
      #expect(talk.shows("? allow once, unknown: git push"), "\(talk.lines)")
      // It is still pending, and can be decided again.
      trouble.end()
      try await talk.choose("a")
      try await talk.see("✓ allowed once git push")
      try await talk.leave()
      #expect(server.decisions == 2)
    }
  }

  @Test("a gateway's error says that a decision may have been made; the server's own does not")
  func gateway() {
    for (status, isUnknown) in [
      (500, false), (501, false), (502, true), (503, false), (504, true), (505, false),
    ] {
      inTroubledWorld(.gated) { world, server, trouble in
        let id = try await world.request(asking: "deploy")
        trouble.at("/respond", .answer(status: status, error: "boom"))
        let outcome = await world.oppi("approve", "--", id)
        #expect((outcome.status == 6) == isUnknown && outcome.status != 0, "\(status): \(outcome)")
      }
    }
  }

  @Test("an interruption before the reply is sent decides nothing, and claims nothing")
  func before() {
    inTroubledWorld(.gated) { world, server, trouble in
      let id = try await world.request(asking: "deploy")
      let outcome = try await Self.interrupted(["approve", "--", id], in: world, trouble) {
        $0.isRequest("/permissions/pending")
      }
      #expect(!outcome.errors.contains("could not confirm"), "\(outcome)")
      #expect(server.decisions == 0)
    }
  }

  @Test("an answer over a stream that is lost afterwards may have been given")
  func stream() {
    inTroubledWorld(.multiplexed) { world, _, trouble in
      let session = try await world.session(asking: "question")
      trouble.begin { $0.isMessage("extension_ui_response") ? .drop : .proceed }
      let outcome = await world.oppi("answer", "--", session, "1", "", exits: 6)
      #expect(outcome.errors.contains("not sent again"), "\(outcome)")
    }
  }
}
