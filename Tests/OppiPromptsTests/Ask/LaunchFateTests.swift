// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiText
import OppiWire
import Simulation
import Synchronization
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

/// Prompts of requests that create their session, on servers that recognise a repeated request.
@Suite struct LaunchFateTests {
  private static let queue = ["ask", "--json", "--queue", "--key", "k", "-w", "demo"]

  private static func state(in world: World) async -> String? {
    let list = await world.oppi("outbox", "list", "--all", "--json")
    return list.json["prompts"].array?.first?["state"].string
  }

  @Test(
    "a prompt that an agent got before its server was killed does not run again, at any time",
    arguments: [(true, 0), (false, 0), (false, 300)]
  )
  func unrecorded(isWritten: Bool, pause: Int) {
    inTroubledWorld {
      if !isWritten { $0.pace = .seconds(60) }
    } _: { world, server, trouble in
      trouble.begin { if case .handedOver = $0 { .hang } else { .proceed } }
      let asking = world.begin("ask", "--json", "--queue", "--key", "k", "-w", "demo", "hello")
      try await world.pass(.seconds(3))
      trouble.end()
      await server.end(.killed)
      if pause == 0 { try server.start() }
      let asked = await asking.value
      #expect(asked.status == (isWritten ? 0 : 6), "\(asked)")
      try await world.pass(.seconds(pause))
      if !server.isRunning { try server.start() }
      _ = await world.oppi("outbox", "flush")
      try await world.pass(.seconds(300))
      _ = await world.oppi("outbox", "flush")
      let state = await Self.state(in: world)
      #expect(state == (isWritten ? "delivered" : "unknown"), "\(state ?? "none")")
      _ = await world.oppi("ask", "--key", "k", "-w", "demo", "hello")
      try await world.pass(.seconds(300))
      #expect(server.heard == ["hello"])
    }
  }

  @Test("a program that is killed during its request has recorded it, so that none is repeated")
  func killedDuringRequest() {
    inTroubledWorld {
      $0.pace = .seconds(60)
    } _: { world, server, trouble in
      trouble.begin { if case .handedOver = $0 { .hang } else { .proceed } }
      try await world.kill(Self.queue + ["hello"], after: .seconds(3))
      trouble.end()
      await server.end(.killed)
      try await world.pass(.seconds(300))
      try server.start()
      _ = await world.oppi("outbox", "flush")
      try await world.pass(.seconds(300))
      #expect(await Self.state(in: world) == "unknown")
      #expect(server.heard == ["hello"])
    }
  }

  @Test("a request without --queue is not repeated by another program after its own was killed")
  func killedWithoutQueue() {
    inTroubledWorld { world, server, trouble in
      // The server reports its uptime in whole seconds.
      try await world.pass()
      trouble.at("/sessions", .hang)
      try await world.kill(["ask", "--key", "k", "-w", "demo", "hello"], after: .seconds(3))
      trouble.end()
      let made = server.sessionsMade
      await world.oppi("outbox", "flush", exits: 6) { $0.output.hasPrefix("k\tunknown\t") }
      #expect(made == 1 && server.sessionsMade == 1 && server.heard.isEmpty)
    }
  }

  @Test("an agent that waits for 16 s before its start, as for a question of trust, is awaited")
  func heldStart() {
    inTroubledWorld {
      $0.agentStartDelay = .seconds(16)
    } _: { world, server, _ in
      let asked = await world.oppi("ask", "-w", "demo", "--json", "hello", exits: 0)
      #expect(asked.elapsed > .seconds(15) && asked.elapsed < .seconds(20), "\(asked)")
      let prompts = ["hello again", "hello at last"]
      for prompt in prompts {
        // The last one is asked for again, and is in progress by then.
        if prompt == prompts.last { world.network.cut(after: prompt) }
        let words = ["ask", "-w", "demo", "--timeout", "8s", prompt]
        await world.oppi(words, exits: 6) { $0.elapsed < .milliseconds(8500) }
        try await world.pass(.seconds(30))
      }
      #expect(server.heard == ["hello"] + prompts)
    }
  }

  @Test("an agent that starts for longer than the lease gets the prompt once")
  func slowStart() {
    inTroubledWorld {
      $0.limits.launchLease = .seconds(2)
      $0.agentStartDelay = .seconds(40)
    } _: { world, server, _ in
      await world.oppi(Self.queue + ["hello"], exits: 6, saying: "may run the prompt later")
      #expect(await Self.state(in: world) == "checking")
      try await world.pass(.seconds(60))
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello"])
    }
  }

  @Test(
    "a request that did not arrive is repeated while its lease lasts, and later the server is asked",
    arguments: [(20, ["hello"], "delivered"), (200, [], "unknown")] as [(Int, [String], String)]
  )
  func lostRequest(pause: Int, heard: [String], state: String) {
    inTroubledWorld { world, server, trouble in
      trouble.at("/sessions", .hang)
      await world.oppi(Self.queue + ["hello"], exits: 6)
      #expect(await Self.state(in: world) == "checking")
      trouble.end()
      try await world.pass(.seconds(pause))
      let flush = await world.oppi("outbox", "flush")
      #expect(flush.errors.contains("no session for it") == (state == "unknown"), "\(flush)")
      #expect(await Self.state(in: world) == state)
      #expect(server.heard == heard)
    }
  }

  @Test("the lease of a request that is repeated counts from the first one")
  func repeatedRequest() {
    inTroubledWorld { world, server, trouble in
      trouble.at("/sessions", .hang)
      await world.oppi(Self.queue + ["hello"], exits: 6)
      try await world.pass(.seconds(60))
      _ = await world.oppi("outbox", "flush")
      #expect(await Self.state(in: world) == "checking")
      try await world.pass(.seconds(60))
      trouble.end()
      _ = await world.oppi("outbox", "flush")
      #expect(await Self.state(in: world) == "unknown" && server.heard.isEmpty)
    }
  }

  @Test("a command that is killed at any call and given again delivers its prompt once")
  func killedAnywhere() {
    inTroubledWorld { world, server, _ in
      var number = 0
      var status: Int32?
      while status == nil {
        number += 1
        let words = ["ask", "--key", "k\(number)", "-w", "demo", "hello \(number)"]
        status = await world.program(dyingAfter: number).run(words).status
        await world.oppi(words, exits: 0)
      }
      #expect(number > 20, "\(number)")
      try await world.pass()
      let heard = Dictionary(grouping: server.heard, by: \.self)
      #expect(heard.count == number && heard.values.allSatisfy { $0.count == 1 }, "\(heard)")
    }
  }

  @Test("a session with a message is not deleted after a failed launch")
  func usedSession() {
    inTroubledWorld { world, server, trouble in
      for count in [0, 1] {
        trouble.begin { step in
          guard step.isRequest("/sessions") else { return .proceed }
          return .answer(json: [
            "session": [
              "id": "s1", "status": "ready", "messageCount": .integer(Int64(count)),
              "launch": ["status": "failed", "promptError": "no login"],
            ],
            "prompted": false,
          ])
        }
        await world.oppi("ask", "-w", "demo", "hello", saying: "no login") { $0.status != 0 }
        let deletions = server.requests.count { $0.method == "DELETE" }
        #expect(deletions == 1, "\(count)")
      }
    }
  }
}

/// Access tokens that cannot be had.
@Suite("Prompts without a token", .needs("openssl"))
struct PromptWithoutTokenTests {
  private static let failures: [Intervention] = [
    .answer(status: 500, error: "database is locked"), .hang, .drop,
  ]

  private static func inWorldWithoutToken(
    _ body: @escaping @Sendable (World, VirtualServer, Trouble) async throws -> Void
  ) {
    inTroubledWorld { world, server, trouble in
      _ = await world.oppi("workspaces")
      server.expireTokens()
      try await body(world, server, trouble)
    }
  }

  @Test(
    "a prompt whose token cannot be had is not sent, and the outbox delivers it later",
    arguments: failures.indices
  )
  func refresh(index: Int) {
    Self.inWorldWithoutToken { world, server, trouble in
      try await world.pass(.seconds(3600))
      trouble.at("/auth/refresh", Self.failures[index])
      await world.oppi("ask", "-w", "demo", "hello") { [69, 75].contains($0.status) }
      let kept = await world.oppi("ask", "--json", "--queue", "--key", "k", "-w", "demo", "hello")
      #expect(kept.status == 0 && kept.json["state"] == "outbox", "\(kept)")
      let flush = await world.oppi("outbox", "flush")
      #expect(flush.output.contains("k\toutbox\t"), "\(flush)")
      #expect(server.heard.isEmpty)
      trouble.end()
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello"])
    }
  }

  @Test("a program that is killed while it waits for a token has sent nothing, as its record says")
  func killed() {
    Self.inWorldWithoutToken { world, server, trouble in
      try await world.pass(.seconds(3600))
      trouble.at("/auth/refresh", .hang)
      let words = ["ask", "--json", "--queue", "--key", "k", "-w", "demo", "hello"]
      try await world.kill(words, after: .seconds(3))
      trouble.end()
      try await world.pass(.seconds(300))
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello"])
    }
  }

  @Test(
    "a request that is rejected together with its token was not performed",
    arguments: failures.indices
  )
  func rejected(index: Int) {
    Self.inWorldWithoutToken { world, server, trouble in
      trouble.at("/auth/refresh", Self.failures[index])
      await world.oppi("ask", "-w", "demo", "hello") { [69, 75].contains($0.status) }
      #expect(server.heard.isEmpty)
    }
  }
}

/// Prompts that are too long for the request that creates their session.
@Suite struct LongPromptTests {
  @Test(
    "a prompt fits into the request if its escaped text and a kilobyte are at most 8 MiB",
    arguments: [
      ("a", (8 << 20) - 1200, true), ("a", (8 << 20) - 1024, false), ("ж", (8 << 20) / 6, false),
    ]
  )
  func fits(character: Character, count: Int, isFitting: Bool) {
    let session = NewSession(workspaceID: "W", key: "k")
    #expect(session.fits(String(repeating: character, count: count)) == isFitting)
  }

  @Test("a prompt that does not fit into the request is sent over the session's stream")
  func isSentOverStream() {
    inFlowWorld { flow in
      var network = Faults.none
      network.window = 1 << 20
      flow.world.set(network)
      let prompt = String(repeating: "ж", count: 1_400_000)
      let outcome = try await flow.attempt(prompt, id: "turn").outcome
      #expect(outcome?.state == .started)
      #expect(flow.server.sessionsMade == 1 && flow.server.deliveries == ["prompt"])
      try await flow.pass()
      #expect(flow.server.heard.map(\.utf8.count) == [prompt.utf8.count])
    }
  }
}

/// Agents that start slowly, with a limit for the turn.
@Suite struct SlowAgentTests {
  @Test(
    "a turn with a limit waits for an agent that takes longer than a connection",
    arguments: Dialect.all
  )
  func start(dialect: Dialect) {
    inWorld(dialect, where: \.agentStartDelay, is: .seconds(6)) { world, server in
      let asked = await world.oppi("ask", "--wait", "--timeout", "40s", "-w", "demo", "hello")
      #expect(asked.status == 0 && asked.elapsed > .seconds(6), "\(asked)")
    }
  }

  @Test(
    "a turn with a limit waits for a reachable server that is slow to answer",
    arguments: Dialect.all
  )
  func answers(dialect: Dialect) {
    inTroubledWorld(dialect) { world, server, trouble in
      _ = await world.oppi("servers", "test")
      for isSlow in [
        { $0.isRequest("/sessions") }, { $0.isRequest("/stream") },
        { if case .opened = $0 { true } else { false } },
      ] as [@Sendable (Step) -> Bool] {
        trouble.begin { isSlow($0) ? .proceedAfter(.seconds(6)) : .proceed }
        let asked = await world.oppi("ask", "--wait", "--timeout", "40s", "-w", "demo", "hello")
        #expect(asked.status == 0 && asked.elapsed > .seconds(6), "\(asked)")
      }
    }
  }
}
