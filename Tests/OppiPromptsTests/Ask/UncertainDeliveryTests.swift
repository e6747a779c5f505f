// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiText
import OppiWire
import Simulation
import Synchronization
import Testing

@testable import OppiClient
@testable import OppiPrompts
@testable import OppiTestSupport
@testable import OppiTurns

/// Prompts whose delivery is hard to determine.
@Suite struct UncertainDeliveryTests {
  /// The limits of a delivery that waits for its turn, however long its agent starts.
  private static let patient: PromptDelivery.Limits = {
    var limits = PromptDelivery.Limits()
    limits.total = nil
    return limits
  }()

  @Test("an agent that starts slowly is not reported as a silent refusal")
  func slowIsNotSilent() {
    inFlowWorld(.perSession, where: \.agentStartDelay, is: .seconds(30)) { flow in
      let result = try await flow.attempt("hello", limits: Self.patient, waitingForTurn: true)
      #expect(result.outcome?.state == .started)
    }
  }

  /// The state of the first prompt when the server is killed.
  enum Fate: CaseIterable, Sendable {
    case runs
    case isOver
    case isLost

    var intervention: Intervention { self == .isLost ? .drop : .performThenDrop }
  }

  /// Applies the intervention to the prompt with the given text, and hangs all later streams.
  private static func begin(_ trouble: Trouble, _ fate: Fate, at prompt: String) {
    let isShut = Atomic(false)
    trouble.begin { step in
      if case .message(let json, _) = step, json["message"].string == prompt {
        isShut.store(true, ordering: .relaxed)
        return fate.intervention
      }
      return step.isRequest("/stream") && isShut.load(ordering: .relaxed) ? .hang : .proceed
    }
  }

  /// Kills and restarts the server.
  private static func restart(_ flow: FlowWorld, _ trouble: Trouble) async throws {
    await flow.server.end(.killed)
    trouble.end()
    try flow.server.start()
  }

  @Test(
    "a prompt does not run twice if the server is killed and restarted during delivery",
    arguments: Dialect.both,
    Fate.allCases
  )
  func crash(dialect: Dialect, fate: Fate) {
    let trouble = Trouble()
    inFlowWorld(dialect) { configuration in
      // Keeps the turn running until the server is killed.
      if fate == .runs { configuration.pace = .seconds(60) }
      configuration.interceptor = trouble.interceptor
    } _: { flow in
      Self.begin(trouble, fate, at: "once")
      async let asking = flow.attempt("once")
      try await flow.pass(.seconds(2))
      try await Self.restart(flow, trouble)
      let result = try await asking
      #expect(flow.server.runs.count == (fate == .isLost ? 0 : 1))
      // Only a prompt in the stored trace is known to be delivered; any other may have run or not.
      let isOver = fate == .isOver
      #expect(result.failure?.delivery == (isOver ? nil : .unknown(.agentGone)), "\(result)")
      #expect(result.outcome?.state == (isOver ? .accepted : nil), "\(result)")
    }
  }

  @Test(
    "a refused prompt that is sent again with its turn id is not reported as accepted",
    arguments: [false, true]
  )
  func duplicateOfRefused(isWaiting: Bool) {
    inFlowWorld(.multiplexed) { flow in
      let session = flow.session(of: try await flow.ask("hello").outcome)
      try await flow.pass()
      let first = try await flow.attempt("refuse", in: session, id: "same")
      guard case .refused(.agentRefused)? = first.failure?.delivery else {
        Issue.record("\(first)")
        return
      }
      // An older server reports a duplicate, but the turn has no events.
      let second = try await flow.attempt(
        "refuse",
        in: session,
        id: "same",
        waitingForTurn: isWaiting
      )
      #expect(second.outcome?.state == nil, "\(second)")
      #expect(flow.server.heard == ["hello"])
    }
  }

  @Test(
    "a prompt runs once if the connection breaks during the acknowledgement",
    arguments: Dialect.withTokens,
    [false, true]
  )
  func cutInAcknowledgement(dialect: Dialect, isNew: Bool) {
    inFlowWorld(dialect) { flow in
      var session: ServerSession?
      if !isNew {
        session = flow.session(of: try await flow.ask("hello").outcome)
        try await flow.pass()
      }
      flow.world.network.cut(after: "\"stage\":\"accepted\"")
      let result = try await flow.attempt("two tools", in: session)
      #expect(result.failure?.delivery == nil, "\(result)")
      // The agent starts after the acknowledgement.
      try await flow.pass()
      #expect(flow.server.heard == (isNew ? [] : ["hello"]) + ["two tools"])
    }
  }

  @Test("a message is found in the queue if its acknowledgement is lost")
  func cutInQueue() {
    inFlowWorld { flow in
      let session = flow.session(of: try await flow.ask("question").outcome)
      flow.world.network.cut(after: "\"stage\":\"accepted\"")
      let result = try await flow.attempt("two tools", in: session)
      #expect(result.outcome?.state == .queued, "\(result)")
      // It is sent again with the same id, which the server recognises.
      let sent = flow.server.messages.filter { $0.json["message"] == "two tools" }
      #expect(Set(sent.map(\.json["clientTurnId"].string)).count == 1)
    }
  }

  @Test(
    "a prompt to an existing session is not sent again after the server was killed",
    arguments: Dialect.withTokens,
    Fate.allCases
  )
  func crashInOldSession(dialect: Dialect, fate: Fate) {
    let trouble = Trouble()
    inFlowWorld(dialect, where: \.interceptor, is: trouble.interceptor) { flow in
      let session = flow.session(of: try await flow.ask("first").outcome)
      try await flow.pass()
      Self.begin(trouble, fate, at: "second")
      async let asking = flow.attempt("second", in: session)
      try await flow.pass(.seconds(2))
      let runs = flow.server.runs.count
      #expect(runs == (fate == .isLost ? 1 : 2))
      try await Self.restart(flow, trouble)
      let result = try await asking
      #expect(flow.server.runs.count == runs)
      #expect(result.failure?.delivery == .unknown(.agentGone), "\(result)")
    }
  }
}
