// SPDX-License-Identifier: MIT

import FakeServer
import Simulation
import Synchronization
import Testing

@testable import OppiClient
@testable import OppiModel
@testable import OppiPrompts
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

@Suite struct DeliveryRunTests {
  /// The prompts that the server received.
  private static func prompts(of flow: FlowWorld) -> [Journal.Message] {
    flow.server.messages.filter { ["prompt", "follow_up"].contains($0.type) }
  }

  @Test(
    "the dialect is detected from the upgrade response; a known dialect is not probed again",
    arguments: [(.multiplexed, nil, 2), (.perSession, nil, 3)]
      + [(.multiplexed, .multiplexed, 2), (.perSession, .perSession, 2)]
      as [(Dialect, Dialect?, Int)]
  )
  func learnsDialect(dialect: Dialect, known: Dialect?, connections: Int) {
    inFlowWorld(dialect, known: known) { flow in
      let outcome = try await flow.ask("hi").outcome
      #expect(outcome.stream == dialect.stream)
      #expect(flow.server.connections == connections)
    }
  }

  @Test(
    "a known dialect that does not match the server is detected and replaced",
    arguments: [(Dialect.multiplexed, Dialect.perSession), (.perSession, .multiplexed)]
  )
  func relearnsDialect(dialect: Dialect, known: Dialect) {
    inFlowWorld(dialect, known: known) { flow in
      let outcome = try await flow.ask("hi").outcome
      #expect(outcome.stream == dialect.stream)
    }
  }

  @Test("a prompt to a new session of an older server takes two connections and two messages")
  func fewRoundTrips() {
    inFlowWorld(.multiplexed, known: .multiplexed) { flow in
      let outcome = try await flow.ask("hi").outcome
      #expect(outcome.state == .started)
      #expect(flow.server.connections == 2)
      #expect(flow.server.messages.map(\.type) == ["subscribe", "prompt"])
    }
  }

  @Test(
    "a session from an earlier attempt is deleted after a refusal unless it has a conversation",
    arguments: [false, true],
    [Dialect.multiplexed, .deviceKeys]
  )
  func refusedInItsSession(isUsed: Bool, dialect: Dialect) {
    inFlowWorld(dialect) { flow in
      let session = try await flow.newSession()
      if isUsed {
        _ = try await flow.ask("first", in: session)
        try await flow.pass()
      }
      let request = AskRequest(Prompt("refuse"), to: .emptySession(session), clientTurnID: "t")
      var run = DeliveryRun(of: request, over: try await flow.api, models: ModelCatalog())
      do {
        _ = try await run.perform()
        Issue.record("delivered")
      } catch let failure as AskFailure {
        #expect(failure.hasLeft, "\(failure)")
        #expect(failure.sessionID == (isUsed ? session.id : nil), "\(failure)")
      }
    }
  }

  @Test(
    "a session is unused without messages, a trace and a running turn",
    arguments: [
      ("ready", 0, [], true), ("ready", 1, [], false), ("busy", 0, [], false),
      ("stopping", 0, [], false), ("ready", 0, [["type": "user"]], false),
    ] as [(String, Int64, [JSONValue], Bool)]
  )
  func unused(status: String, messages: Int64, trace: [JSONValue], isDeleted: Bool) {
    let trouble = Trouble()
    inFlowWorld(where: \.interceptor, is: trouble.interceptor) { flow in
      let id = try await flow.newSession().id
      let answer: JSONValue = [
        "session": [
          "id": .string(id), "status": .string(status), "messageCount": .integer(messages),
        ],
        "trace": .array(trace),
      ]
      // It also confirms a deletion.
      trouble.begin { step in
        step.isRequest("/sessions/\(id)") || step.isRequest("/sessions/\(id)/trace?include=all")
          ? .answer(json: answer) : .proceed
      }
      let workspaceID = flow.workspace.workspace.id
      #expect(try await flow.calls.deleteUnused(id, workspaceID: workspaceID) == isDeleted)
      #expect(flow.server.requests.count { $0.method == "DELETE" } == (isDeleted ? 1 : 0))
    }
  }

  /// Intervenes in the first message with the prompt.
  private static func intervene(_ intervention: Intervention, at prompt: String) -> Interceptor {
    let isOver = Atomic(false)
    return { step in
      guard case .message(let json, _) = step, json["message"].string == prompt else {
        return .proceed
      }
      return isOver.exchange(true, ordering: .relaxed) ? .proceed : intervention
    }
  }

  @Test(
    "a prompt whose acknowledgement or connection is lost is sent again with the same turn id",
    arguments: [
      (.performThenDrop, [.accepted, .started], 1...2), (.drop, [.started], 2...2),
    ] as [(Intervention, [PromptDelivery.Progress], ClosedRange<Int>)]
  )
  func resends(loss: Intervention, states: [PromptDelivery.Progress], counts: ClosedRange<Int>) {
    inFlowWorld(where: \.interceptor, is: Self.intervene(loss, at: "hi")) { flow in
      let outcome = try await flow.ask("hi", in: flow.newSession()).outcome
      #expect(states.contains(outcome.state))
      let prompts = Self.prompts(of: flow)
      #expect(Set(prompts.map { $0.json["clientTurnId"].string }).count == 1)
      #expect(counts.contains(prompts.count))
    }
  }

  @Test("a prompt that an earlier process sent is not sent if its session cannot be determined")
  func undetermined() {
    let departure = PromptDelivery.SendRecord(
      clientTurnID: "t",
      kind: .prompt,
      anchor: 0,
      messageCount: 0,
      stream: .multiplexed
    )
    let moment = MachineTime(timeOfDay: Timestamp(milliseconds: 0))
    for past in [QueuedPrompt.State.launched(at: moment), .departed(departure, at: moment)] {
      // An older server does not recognise repeated launches.
      inFlowWorld(.multiplexed) { flow in
        let request = AskRequest(Prompt("hi"), to: .newSession(flow.workspace), clientTurnID: "t")
        var run = DeliveryRun(of: request, over: try await flow.api, models: ModelCatalog())
        do {
          _ = try await run.perform(after: past)
          Issue.record("delivered")
        } catch let error as AskFailure {
          #expect(error.delivery == .unknown(.agentGone))
        }
        #expect(Self.prompts(of: flow).isEmpty)
      }
    }
  }

  @Test("a lost prompt is sent again to an existing session whose agent is still loaded")
  func loadedSession() {
    inFlowWorld(where: \.interceptor, is: Self.intervene(.drop, at: "second")) { flow in
      let session = flow.session(of: try await flow.ask("first").outcome)
      // Late events of its turn would count as signs of the next prompt.
      try await flow.pass()
      #expect(try await flow.ask("second", in: session).outcome.sessionID == session.id)
      let prompts = Self.prompts(of: flow)
      #expect(prompts.map { $0.json["message"] } == ["second", "second"])
    }
  }

  @Test("a lost prompt is not sent again to an existing session whose agent has restarted")
  func restartedSession() {
    let trouble = Trouble()
    inFlowWorld(.multiplexed, where: \.interceptor, is: trouble.interceptor) { flow in
      let session = flow.session(of: try await flow.ask("first").outcome)
      try await flow.pass()
      let isLost = Atomic(false)
      trouble.begin { step in
        guard case .message(let json, _) = step else { return .proceed }
        if json["message"] == "second" {
          isLost.store(true, ordering: .relaxed)
          return .drop
        }
        guard json["type"] == "subscribe", isLost.load(ordering: .relaxed) else { return .proceed }
        // On an older server only the counter 0 shows that an agent was restarted.
        return .reply([
          [
            "type": "connected", "currentSeq": 0, "sessionId": json["sessionId"],
            "session": ["id": json["sessionId"], "status": "ready"],
          ]
        ])
      }
      let failure = try await flow.attempt("second", in: session).failure
      #expect(failure?.delivery == .unknown(.agentGone))
      #expect(failure?.sessionID == session.id)
      #expect(Self.prompts(of: flow).map { $0.json["message"] } == ["first", "second"])
    }
  }
}
