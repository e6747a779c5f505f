// SPDX-License-Identifier: MIT

import FakeServer
import Synchronization
import TestSupport
import Testing

@testable import Oppi
@testable import OppiModel

@Suite struct DeliveryRunTests {
  /// The prompts that the server received.
  private static func prompts(of bench: Bench) -> [Journal.Message] {
    bench.server.journal.messages.filter { ["prompt", "follow_up"].contains($0.type) }
  }

  /// Sends a prompt to a new session; the dialect of the stream is known if `known` is given.
  private static func ask(
    _ dialect: Dialect,
    known: Dialect? = nil
  ) async throws -> (stream: Dialect.Stream, connections: Int) {
    let bench = try Bench(dialect, known: known)
    let outcome = try await bench.run { desk in try await desk.ask("hi").outcome }
    return (outcome.stream, bench.server.journal.connections)
  }

  @Test(
    "the dialect is detected from the upgrade response; a known dialect is not probed again",
    arguments: [Dialect.multiplexed, .perSession]
  )
  func learnsDialect(dialect: Dialect) async throws {
    let unknown = try await Self.ask(dialect)
    let known = try await Self.ask(dialect, known: dialect)
    #expect(unknown.stream == dialect.stream && known.stream == dialect.stream)
    #expect(unknown.connections == (dialect == .multiplexed ? 2 : 3))
    #expect(known.connections == 2)
  }

  @Test(
    "a known dialect that does not match the server is detected and replaced",
    arguments: [(Dialect.multiplexed, Dialect.perSession), (.perSession, .multiplexed)]
  )
  func relearnsDialect(dialect: Dialect, known: Dialect) async throws {
    #expect(try await Self.ask(dialect, known: known).stream == dialect.stream)
  }

  @Test("a prompt to a new session takes two connections and two messages")
  func fewRoundTrips() async throws {
    let bench = try Bench(known: .multiplexed)
    let outcome = try await bench.run { desk in try await desk.ask("hi").outcome }
    #expect(outcome.state == .started)
    #expect(bench.server.journal.connections == 2)
    #expect(bench.server.journal.messages.map(\.type) == ["subscribe", "prompt"])
  }

  @Test("a prompt that the agent refuses fails with the agent's message")
  func agentRefuses() async throws {
    let failure = try await Bench().run { desk in await desk.attempt("refuse").failure }
    guard case .refused(.agentRefused(let message))? = failure?.delivery else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(!message.isEmpty)
    // The session created for the prompt was deleted.
    #expect(failure?.sessionID == nil)
  }

  @Test(
    "a prompt whose acknowledgement or connection is lost is sent again with the same turn id",
    arguments: [
      (.performThenDrop, [.accepted, .started], 1...2), (.drop, [.started], 2...2),
    ] as [(Intervention, [PromptDelivery.Progress], ClosedRange<Int>)]
  )
  func resends(
    loss: Intervention,
    states: [PromptDelivery.Progress],
    counts: ClosedRange<Int>
  ) async throws {
    let isOver = Atomic(false)
    let bench = try Bench {
      $0.interceptor = { step in
        guard step.isMessage("prompt") else { return .proceed }
        return isOver.exchange(true, ordering: .relaxed) ? .proceed : loss
      }
    }
    let outcome = try await bench.run { desk in try await desk.ask("hi").outcome }
    #expect(states.contains(outcome.state))
    let prompts = Self.prompts(of: bench)
    #expect(Set(prompts.map { $0.json["clientTurnId"].string }).count == 1)
    #expect(counts.contains(prompts.count))
  }

  @Test("without a response the delivery is unknown, and the prompt is not sent again")
  func silence() async throws {
    let bench = try Bench { $0.interceptor = { $0.isMessage("prompt") ? .ignore : .proceed } }
    let failure = try await bench.run { desk in
      var limits = PromptDelivery.Limits()
      limits.total = .milliseconds(300)
      return await desk.attempt("hi", limits: limits).failure
    }
    #expect(failure?.delivery == .unknown(.silence))
    #expect(Self.prompts(of: bench).count == 1)
  }

  @Test("a prompt that an earlier process sent is not sent if its session cannot be determined")
  func undetermined() async throws {
    let departure = PromptDelivery.Departure(
      clientTurnID: "t",
      kind: .prompt,
      anchor: 0,
      messageCount: 0,
      stream: .multiplexed
    )
    let moment = MachineTime(timeOfDay: Timestamp(milliseconds: 0))
    for past in [QueuedPrompt.State.launched(at: moment), .departed(departure, at: moment)] {
      // The server does not recognise repeated launches.
      let bench = try Bench()
      let delivery = try await bench.run { desk -> AskFailure.Delivery? in
        let request = AskRequest(Prompt("hi"), to: .newSession(desk.workspace), clientTurnID: "t")
        var run = DeliveryRun(of: request, over: desk.api, models: ModelCatalog())
        do throws(AskFailure) {
          _ = try await run.perform(after: past)
          return nil
        } catch {
          return error.delivery
        }
      }
      #expect(delivery == .unknown(.agentGone))
      #expect(Self.prompts(of: bench).isEmpty)
    }
  }

  @Test("a lost prompt is sent again to an existing session whose agent is still loaded")
  func loadedSession() async throws {
    let isOver = Atomic(false)
    let bench = try Bench { configuration in
      configuration.interceptor = { step in
        guard case .message(let json, _) = step, json["message"] == "second" else {
          return .proceed
        }
        return isOver.exchange(true, ordering: .relaxed) ? .proceed : .drop
      }
    }
    try await bench.run { desk in
      let first = try await desk.ask("first").outcome.sessionID
      // Late events of its turn would count as signs of the next prompt.
      let place = desk.workspace.workspace.id
      let calls = desk.direct.until(.farOff)
      while try await calls.session(first, workspaceID: place).session.status != .ready {}
      let session = ServerSession(server: desk.paired, id: first)
      #expect(try await desk.ask("second", in: session).outcome.sessionID == first)
    }
    let prompts = Self.prompts(of: bench)
    #expect(prompts.map { $0.json["message"] } == ["first", "second", "second"])
  }

  @Test("a lost prompt is not sent again to an existing session whose agent has restarted")
  func restartedSession() async throws {
    let bench = try Bench { configuration in
      configuration.interceptor = { step in
        switch step {
        case .message(let json, _) where json["message"] == "second": .drop
        // A restarted agent reports the counter 0.
        case .message(let json, let connection) where json["type"] == "subscribe" && connection > 3:
          .reply([
            [
              "type": "connected", "currentSeq": 0, "sessionId": json["sessionId"],
              "session": ["id": json["sessionId"], "status": "ready"],
            ]
          ])
        default: .proceed
        }
      }
    }
    try await bench.run { desk in
      let first = try await desk.ask("first").outcome.sessionID
      let session = ServerSession(server: desk.paired, id: first)
      let failure = await desk.attempt("second", in: session, over: desk.direct).failure
      #expect(failure?.delivery == .unknown(.agentGone))
      #expect(failure?.sessionID == first)
    }
    #expect(Self.prompts(of: bench).map { $0.json["message"] } == ["first", "second"])
  }
}
