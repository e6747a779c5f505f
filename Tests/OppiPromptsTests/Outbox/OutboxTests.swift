// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi ask --queue`, `oppi ask --key` and `oppi outbox`.
@Suite struct OutboxTests {
  private static let queue = ["ask", "--json", "--queue", "-w", "studio/demo", "--", "hello"]

  @Test(
    "the title of a prompt's session has no digest once the prompt is delivered",
    arguments: Dialect.all
  )
  func title(dialect: Dialect) {
    inWorld(dialect) { world, server in
      _ = await world.oppi("ask", "--queue", "-w", "demo", "hello")
      try await world.pass()
      let list = await world.oppi("sessions", "--state", "all", "--json")
      #expect(list.json["sessions"].array?.map { $0["goal"] } == ["hello"], "\(list)")
    }
  }

  @Test("a prompt for an existing session does not rename it")
  func titleOfSession() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      await world.oppi("ask", "--queue", "--session=\(id)", "later", exits: 0)
      try await world.pass()
      #expect(server.heard == ["hello", "later"])
      #expect(!server.messages.contains { $0.type == "set_session_name" })
    }
  }

  @Test(
    "a prompt for an unreachable server is queued, and delivered once when it is back",
    arguments: Dialect.all
  )
  func keeps(dialect: Dialect) {
    inWorld(dialect) { world, server in
      await world.lose(server)
      let kept = await world.oppi(Self.queue, exits: 0)
      #expect(kept.json["state"] == "outbox" && kept.json["sessionId"] == .null)
      #expect(kept.json["reason"]["code"] == "server-unreachable", "\(kept)")
      let key = kept.json["key"].string ?? ""
      await world.oppi("outbox", "flush", exits: 75) { $0.output == "\(key)\toutbox\t\n" }
      try server.start()
      let list = await world.oppi("outbox", "--json")
      #expect(list.json["prompts"].array?.map(\.["state"]) == ["outbox"], "\(list)")
      #expect(list.json["prompts"].array?.first?["attempts"] == 2)
      let flush = await world.oppi("outbox", "flush")
      let session = server.runs.first?.sessionID ?? ""
      #expect(flush.status == 0, "\(flush)")
      #expect(flush.output == "\(key)\tdelivered\tstudio/\(session)\n", "\(flush)")
      #expect(server.heard == ["hello"])
      #expect(server.sessionsMade == 1)
      await world.oppi("outbox", "flush", exits: 0) { $0.output.isEmpty }
      #expect(server.heard == ["hello"])
      #expect(world.disk.paths.allSatisfy { !$0.contains("outbox/") }, "\(world.disk.paths)")
    }
  }

  @Test("without --json, a line states why a prompt is queued and its key")
  func words() {
    inWorld { world, server in
      await world.lose(server)
      let words = ["ask", "--queue", "--key", "k", "-w", "demo", "hello"]
      await world.oppi(words, exits: 0, saying: "; queued as k") {
        $0.output.isEmpty && $0.errors.hasPrefix("Can't reach studio")
      }
      let show = await world.oppi("outbox", "show", "k")
      #expect(show.output.contains("hello") && show.output.contains("studio/demo"), "\(show)")
    }
  }

  @Test("a repeat of a queued prompt is the same prompt; after delivery it is a new prompt")
  func sameAgain() {
    inWorld { world, server in
      await world.lose(server)
      let first = await world.oppi(Self.queue)
      await world.oppi(Self.queue) { first.json["key"] == $0.json["key"] }
      try server.start()
      let third = await world.oppi(Self.queue)
      #expect(third.json["state"] == "accepted" && third.json["key"] == first.json["key"])
      let fourth = await world.oppi(Self.queue)
      #expect(fourth.json["state"] == "accepted", "\(fourth)")
      #expect(fourth.json["sessionId"] != third.json["sessionId"])
      #expect(server.heard == ["hello", "hello"])
    }
  }

  @Test("a prompt with a key runs once, and another prompt with the key is rejected")
  func key() {
    inWorld { world, server in
      let words = ["ask", "--json", "-w", "demo", "--key", "nightly", "hello"]
      let first = await world.oppi(words)
      await world.oppi(words, exits: 0) { $0.json["sessionId"] == first.json["sessionId"] }
      #expect(server.heard == ["hello"])
      #expect(server.sessionsMade == 1)
      let other = await world.oppi("ask", "--json", "-w", "webapp", "--key", "nightly", "hello")
      #expect(other.status == 65 && other.error["code"] == "bad-input", "\(other)")
      let receipt = world.disk.text(at: "\(World.home)/.local/state/oppi/outbox/nightly.json")
      #expect(!receipt.isEmpty && !receipt.contains("hello"))
    }
  }

  @Test("a repeat of a queued prompt is reported as such, and keeps the later expiry")
  func merged() {
    inWorld { world, server in
      await world.lose(server)
      let words = ["ask", "--json", "--queue", "-w", "demo"]
      let first = await world.oppi(words + ["--expires", "1m", "hello"])
      let second = await world.oppi(words + ["--expires", "2h", "hello"])
      #expect(first.json["again"] == .null && second.json["again"] == true, "\(second)")
      try await world.pass(.seconds(120))
      try server.start()
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello"])
    }
  }

  @Test(
    "without --queue, an unknown delivery is reported, and nothing is sent later",
    arguments: [Dialect.multiplexed, .deviceKeys]
  )
  func notKept(dialect: Dialect) {
    inTroubledWorld(dialect) { world, server, trouble in
      _ = await world.lostAnswer(trouble, isQueued: false)
      await world.oppi("outbox", "flush") { $0.output.isEmpty && server.heard.isEmpty }
      #expect(await world.oppi("outbox").output.hasPrefix("k\tunknown\t"))
    }
  }

  @Test("an expired prompt that is sent again without --queue is not kept")
  func expiredAgain() {
    inWorld { world, server in
      await world.lose(server)
      _ = await world.oppi(["ask", "--queue", "--expires", "1s", "--key", "k", "-w", "demo", "hi"])
      try await world.pass()
      await world.oppi("ask", "--key", "k", "-w", "demo", "hi", exits: 69)
      #expect(await world.oppi("outbox").output.isEmpty)
    }
  }

  @Test("a damaged prompt can be dropped, and does not keep others from being dropped")
  func dropsDamaged() {
    inWorld { world, server in
      await world.keep("hello", for: server)
      let folder = "\(World.home)/.local/state/oppi/outbox"
      world.disk.put(Array("{".utf8), at: "\(folder)/broken.json")
      let drop = await world.oppi("outbox", "drop", "nobody", "broken", "k", exits: 66)
      #expect(drop.errors.contains("broken was damaged and is removed"), "\(drop)")
      #expect(drop.errors.contains("dropped 2 prompts"), "\(drop)")
      #expect(await world.oppi("outbox").output.isEmpty)
    }
  }

  @Test("drop --done leaves pending prompts, and the keys of delivered ones")
  func dropsDone() {
    inWorld { world, server in
      let words = ["ask", "--key", "used", "-w", "demo", "first"]
      await world.oppi(words, exits: 0)
      await world.keep("hello", for: server)
      await world.oppi("outbox", "drop", "--done", exits: 0)
      try server.start()
      await world.oppi("outbox", "flush", exits: 0)
      await world.oppi(words, exits: 0)
      #expect(server.heard == ["first", "hello"])
    }
  }

  @Test(
    "a repeat of a prompt whose answer was lost is the same prompt, which is looked up",
    arguments: [["--key", "k"], []],
    [Dialect.multiplexed, .deviceKeys]
  )
  func repeatedAfterLoss(key: [String], dialect: Dialect) {
    inTroubledWorld(dialect) { world, server, trouble in
      _ = await world.oppi("workspaces")
      trouble.losePrompt()
      let words = ["ask", "--queue", "-w", "demo", "hello"] + key
      await world.oppi(words, exits: 6)
      trouble.end()
      await world.oppi(words, exits: 0)
      #expect(server.heard == ["hello"] && server.sessionsMade == 1)
    }
  }

  @Test("a flush of a delivered prompt does nothing")
  func flushOfDelivered() {
    inWorld { world, server in
      await world.oppi("ask", "--key", "k", "-w", "demo", "hello", exits: 0)
      try await world.pass(.seconds(90))
      await world.oppi("outbox", "flush", "k", exits: 0) { $0.output.isEmpty }
      await world.oppi("sessions", "--json") { $0.json["sessions"].array?.first?["loaded"] == true }
    }
  }

  @Test("a delivered prompt cannot be sent again as a new one")
  func retryOfDelivered() {
    inWorld { world, server in
      await world.oppi("ask", "--key", "k", "-w", "demo", "hello", exits: 0)
      await world.oppi("outbox", "retry", "k", exits: 65)
      #expect(server.heard == ["hello"])
    }
  }

  @Test("without --queue, a prompt that cannot be delivered is not kept")
  func keyAlone() {
    inWorld { world, server in
      await world.lose(server)
      await world.oppi("ask", "--json", "-w", "demo", "--key", "once", "hello", exits: 69)
      #expect(world.disk.paths.allSatisfy { !$0.contains("outbox/") }, "\(world.disk.paths)")
    }
  }

  @Test("an expired prompt is not sent, is reported, and can be retried")
  func expires() {
    inWorld { world, server in
      await world.lose(server)
      _ = await world.oppi(["ask", "--queue", "--expires", "1m", "--key", "k", "-w", "demo", "hi"])
      try await world.pass(.seconds(61))
      try server.start()
      await world.oppi("outbox") { $0.output.hasPrefix("k\texpired\t") }
      let flush = await world.oppi("outbox", "flush")
      #expect(flush.status == 5 && flush.output == "k\texpired\t\n", "\(flush)")
      #expect(flush.errors.contains("prompt k expired before delivery"), "\(flush)")
      #expect(server.heard.isEmpty)
      await world.oppi("outbox", "retry", "k", exits: 0)
      #expect(server.heard == ["hi"])
    }
  }

  @Test("a full workspace keeps its prompts queued, and a flush tries it once")
  func full() {
    inWorld(where: \.limits.loadedSessionsPerWorkspace, is: 1) { world, server in
      let first = try await world.session(asking: "first")
      for text in ["second", "third"] {
        let kept = await world.oppi("ask", "--queue", "--json", "-w", "demo", text)
        #expect(kept.json["reason"]["code"] == "no-room", "\(kept)")
      }
      let made = server.sessionsMade
      let flush = await world.oppi("outbox", "flush")
      #expect(flush.status == 75 && flush.lines.count == 1, "\(flush)")
      #expect(server.sessionsMade == made + 1, "one attempt shows that the workspace is full")
      _ = await world.oppi("stop", "--session", "--", first)
      await world.oppi("outbox", "flush", exits: 75) { $0.lines.count == 2 }
      #expect(server.heard == ["first", "second"])
    }
  }

  @Test("a prompt that the server refuses fails at once and is not queued")
  func refused() {
    inWorld {
      $0.startFailures = [$0.workspaces[0].id: "no such model"]
    } _: { world, server in
      await world.oppi(Self.queue, exits: 69) { $0.error["code"] == "agent-not-started" }
      #expect(world.disk.paths.allSatisfy { !$0.contains("outbox/") }, "\(world.disk.paths)")
    }
  }

  @Test("a queued prompt is not dropped if a repeat of it fails for another reason")
  func keptStays() {
    inWorld { world, server in
      await world.lose(server)
      let words = ["ask", "--queue", "--key", "k", "-w", "demo", "hello"]
      _ = await world.oppi(words)
      try server.start()
      server.revokeDevices()
      await world.oppi(words, exits: 77) { $0.errors.contains("the prompt is still in the outbox") }
      await world.oppi("pair", try #require(server.inviteText()), exits: 0)
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello"])
    }
  }
}

extension World {
  /// Sends a prompt with the key `k`, by default with `--queue`, to which the server does not respond.
  func lostAnswer(_ trouble: Trouble, isQueued: Bool = true) async -> Simulation.Program.Outcome {
    _ = await oppi("workspaces")
    trouble.begin { $0.isPrompt ? .hang : .proceed }
    defer { trouble.end() }
    let words = ["ask", "--json", "--key", "k", "-w", "demo", "hello"]
    return await oppi(words + (isQueued ? ["--queue"] : []), exits: 6)
  }

  /// Creates a session, ends its server, and queues prompts for it with their texts as keys.
  func session(on server: VirtualServer, queueing prompts: String...) async throws -> String {
    let session = try await session(asking: "hello")
    await lose(server)
    for prompt in prompts {
      await oppi("ask", "--queue", "--key", prompt, "--session=\(session)", prompt, exits: 0)
      try await pass()
    }
    return session
  }
}
