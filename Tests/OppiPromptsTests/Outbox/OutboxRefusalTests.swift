// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Outbox prompts that are refused, interrupted or for another server: whether and how they are
/// sent again.
@Suite struct OutboxRefusalTests {
  /// The ids of the prompts that were sent, over streams or with the creation of their sessions.
  private static func prompts(at server: VirtualServer) -> [String] {
    let bodies = server.requests.map { (try? JSONValue(parsing: $0.body)) ?? .null }
    return server.messages.compactMap(\.json["clientTurnId"].string)
      + bodies.compactMap(\.["idempotencyKey"].string)
  }

  @Test("a refused prompt is sent again with a new id, so that it is not taken for a repeat")
  func refusedID() {
    inWorld(where: \.limits.loadedSessionsPerWorkspace, is: 1) { world, server in
      let first = try await world.session(asking: "first")
      let kept = await world.oppi("ask", "--queue", "--json", "-w", "demo", "second")
      #expect(kept.json["reason"]["code"] == "no-room", "\(kept)")
      _ = await world.oppi("outbox", "flush")
      _ = await world.oppi("stop", "--session", "--", first)
      _ = await world.oppi("outbox", "flush")
      #expect(server.heard == ["first", "second"])
      let ids = Self.prompts(at: server)
      #expect(ids.count == 4 && Set(ids).count == 4, "\(ids)")
    }
  }

  @Test("a prompt is checked again after something else answered at the server's address")
  func portal() {
    inTroubledWorld { world, server, trouble in
      _ = await world.oppi("workspaces")
      trouble.begin { step in
        guard step.isRequest else { return .proceed }
        return .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>".utf8), then: .drop)
      }
      let outcome = await world.oppi("ask", "--queue", "--key", "k", "-w", "demo", "hello")
      #expect(outcome.status == 6 && !outcome.errors.contains("agent exited"), "\(outcome)")
      #expect(await world.oppi("outbox").output.hasPrefix("k\tchecking\t"))
      trouble.end()
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello"])
    }
  }

  @Test(
    "a temporary refusal postpones a prompt, and any other refusal fails it",
    arguments: [
      (400, "failed"), (403, "outbox"), (404, "failed"), (408, "outbox"), (409, "failed"),
      (425, "outbox"), (429, "outbox"), (499, "failed"), (500, "checking"), (503, "checking"),
    ]
  )
  func status(status: Int, state: String) {
    inTroubledWorld { world, server, trouble in
      await world.keep("hello", for: server)
      try server.start()
      // The server reports its uptime in whole seconds.
      try await world.pass()
      trouble.begin { step in
        guard step.isRequest("/sessions") else { return .proceed }
        return .answer(HTTPResponse(status: status, reason: "No"))
      }
      await world.oppi("outbox", "flush") { $0.output.hasPrefix("k\t\(state)\t") }
      #expect(server.heard.isEmpty)
    }
  }

  /// Runs `oppi ask --key k` without `--queue`, and kills it at a step of the server.
  static func ask(
    killedAt trouble: Trouble,
    _ isStep: @escaping @Sendable (Step) -> Bool,
    in world: World
  ) async throws {
    _ = await world.oppi("workspaces")
    trouble.begin { isStep($0) ? .hang : .proceed }
    let program = world.program()
    let asking = Task(executorPreference: world.loop) {
      await program.run(["ask", "--key", "k", "-w", "demo", "hello"])
    }
    try await world.pass(.seconds(2))
    program.kill()
    _ = await asking.value
    trouble.end()
  }

  @Test(
    "a prompt without --queue is not sent by another program after its own was killed",
    arguments: [Dialect.multiplexed, .deviceKeys]
  )
  func killedAfterDeparture(dialect: Dialect) {
    inTroubledWorld(dialect) { world, server, trouble in
      try await Self.ask(killedAt: trouble, { $0.isPrompt }, in: world)
      #expect(Self.prompts(at: server).count == 1, "the prompt was sent")
      await world.oppi("outbox", "flush") { $0.output.hasPrefix("k\tunknown\t") }
      #expect(server.heard.isEmpty && Self.prompts(at: server).count == 1)
    }
  }

  // MARK: - Sessions that older servers create before they get the prompt

  @Test("a prompt without --queue is dropped if its program was killed before sending it")
  func killedBeforeDeparture() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      try await Self.ask(killedAt: trouble, { $0.isRequest("/sessions") }, in: world)
      await world.oppi("outbox", "flush") { $0.output.isEmpty }
      #expect(server.heard.isEmpty && Self.prompts(at: server).isEmpty)
      #expect(await world.oppi("outbox").output.isEmpty)
    }
  }

  @Test(
    "a session of the prompt's title in another workspace, or in use, is not used for a prompt",
    arguments: [("webapp", []), ("demo", ["other"])]
  )
  func sameTitle(workspace: String, heard: [String]) {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      // Without messages if the prompt does not arrive.
      trouble.begin { $0.isMessage("prompt") && heard.isEmpty ? .hang : .proceed }
      _ = await world.oppi("ask", "-w", workspace, "--name", "hello [k]", "other")
      trouble.at("/sessions", .drop)
      await world.oppi("ask", "--queue", "--key", "k", "-w", "demo", "hello", exits: 0)
      trouble.end()
      let made = server.sessionsMade
      await world.oppi("outbox", "flush", "--json", exits: 0)
      #expect(server.heard == heard + ["hello"])
      #expect(server.sessionsMade == made + 1)
    }
  }

  @Test("a prompt is not sent to its session from an earlier attempt if that is used meanwhile")
  func usedSession() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      _ = await world.oppi("workspaces")
      func session() async -> String? {
        await world.oppi("outbox", "--json").json["prompts"].array?.first?["sessionId"].string
      }
      trouble.at("/stream", .drop)
      await world.oppi("ask", "--queue", "--key", "k", "-w", "demo", "hello", exits: 0)
      let own = try #require(await session())
      // Neither failure loses the session.
      await world.oppi("outbox", "flush", exits: 75)
      trouble.begin { $0.isRequest ? .drop : .proceed }
      await world.oppi("outbox", "flush", exits: 75)
      #expect(await session() == own)
      trouble.end()
      await world.oppi("ask", "--session=\(own)", "other", exits: 0)
      try await world.pass()
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["other", "hello"])
      #expect(Set(server.runs.map(\.sessionID)).count == 2 && server.sessionsMade == 2)
    }
  }

  @Test("only a prompt that the outbox does not have is to be sent to its session by hand")
  func retryHint() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      _ = await world.oppi("workspaces")
      trouble.at("/stream", .drop)
      let hint = "retry with: oppi ask --session="
      let words = ["ask", "--key", "k", "-w", "demo", "hello"]
      await world.oppi(words, saying: hint)
      await world.oppi(words + ["--queue"], exits: 0)
      await world.oppi("outbox", "flush", exits: 75) { !$0.errors.contains(hint) }
      let again = await world.oppi(words, saying: "the prompt is still in the outbox")
      #expect(!again.errors.contains(hint), "\(again)")
    }
  }

  // MARK: - Sessions that are gone, and other servers

  @Test("a prompt for a session that is gone fails, and is sent to no other session")
  func goneSession() {
    inTroubledWorld { world, server, trouble in
      let id = try await world.session(asking: "hello")
      await world.lose(server)
      await world.oppi("ask", "--queue", "--key", "k", "--session=\(id)", "later", exits: 0)
      try server.start()
      trouble.at("/sessions/\(id)/stream", .answer(status: 404, error: "Session not found"))
      let flush = await world.oppi("outbox", "flush")
      #expect(flush.output.hasPrefix("k\tfailed\t"), "\(flush)")
      trouble.end()
      _ = await world.oppi("outbox", "flush")
      #expect(server.heard == ["hello"] && server.sessionsMade == 1)
    }
  }

  @Test("the status of a flush shows an unknown prompt behind one that has failed")
  func worst() {
    inTroubledWorld { world, server, trouble in
      await world.lose(server)
      await world.oppi("ask", "--queue", "--key", "j", "-w", "demo", "first", exits: 0)
      try server.start()
      try await world.pass()
      trouble.begin { $0.isPrompt ? .hang : .proceed }
      await world.oppi("ask", "--queue", "--key", "k", "-w", "demo", "second", exits: 6)
      await server.end(.killed)
      try server.start()
      trouble.at("/sessions", .answer(status: 404, error: "no"))
      let flush = await world.oppi("outbox", "flush", exits: 6)
      let states = flush.lines.map { $0.split(separator: "\t").prefix(2).joined(separator: " ") }
      #expect(states == ["j failed", "k unknown"], "\(flush)")
    }
  }

  @Test("--server selects the prompts of a server, in the list and in a flush")
  func otherServer() {
    inWorld { world, server in
      let office = try await world.addServer(named: "office")
      let (here, there) = (try #require(server.reference), try #require(office.reference))
      await world.lose(server)
      await office.end(.inOrder)
      _ = await world.oppi("ask", "--queue", "--key", "k", "-w", here.description, "hello")
      _ = await world.oppi("ask", "--queue", "--key", "o", "-w", there.description, "over there")
      try server.start()
      try office.start()
      await world.oppi("outbox", "--server", "studio") { $0.lines.count == 1 }
      let flush = await world.oppi("outbox", "flush", "--server", "studio")
      #expect(flush.status == 0 && flush.lines.count == 1, "\(flush)")
      #expect(server.heard == ["hello"] && office.heard.isEmpty)
      await world.oppi("outbox", "flush", "--server", "office", exits: 0)
      #expect(office.heard == ["over there"])
    }
  }
}
