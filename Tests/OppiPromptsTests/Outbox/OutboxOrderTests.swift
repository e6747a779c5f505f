// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Synchronization
import Testing

@testable import OppiClient
@testable import OppiPrompts
@testable import OppiTestSupport

/// Queued prompts for a session are delivered in order.
@Suite struct OutboxOrderTests {
  @Test("a prompt for a session waits behind the queued prompts of the session")
  func behind() {
    inWorld { world, server in
      let session = try await world.session(on: server, queueing: "first")
      try server.start()
      let second = await world.oppi("ask", "--queue", "--json", "--session=\(session)", "second")
      #expect(second.status == 0 && second.json["state"] == "outbox", "\(second)")
      #expect(second.json["reason"]["code"] == "still-queued", "\(second)")
      #expect(server.heard == ["hello"])
      let again = await world.oppi("ask", "--queue", "--json", "--session=\(session)", "second")
      #expect(again.json["again"] == true, "\(again)")
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello", "first", "second"])
    }
  }

  @Test("a prompt in its retry pause blocks later prompts for its session")
  func paused() {
    inWorld { world, server in
      _ = try await world.session(on: server, queueing: "first")
      // Each attempt makes the pause longer.
      for _ in 0..<4 { _ = await world.oppi("outbox", "flush") }
      let waiting = await world.oppi("outbox", "--json").json["prompts"].array?.first
      #expect(waiting?["attempts"] == 5)
      let session = waiting?["sessionId"].string ?? ""
      _ = await world.oppi("ask", "--queue", "--session=\(session)", "second")
      try server.start()
      try await world.pass(.seconds(60))
      _ = await world.oppi("outbox", "flush", "--due")
      #expect(server.heard == ["hello"])
      try await world.pass(.seconds(1200))
      _ = await world.oppi("outbox", "flush", "--due")
      #expect(server.heard == ["hello", "first", "second"])
    }
  }

  @Test("a prompt that a server refuses for now blocks later prompts for its session")
  func refusedForNow() {
    inTroubledWorld { world, server, trouble in
      _ = try await world.session(on: server, queueing: "first", "second")
      try server.start()
      let isRefused = Atomic(false)
      trouble.begin {
        $0.isRequest("/stream") && !isRefused.exchange(true, ordering: .relaxed)
          ? .answer(status: 429, error: "slow down") : .proceed
      }
      _ = await world.oppi("outbox", "flush")
      #expect(server.heard == ["hello"])
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello", "first", "second"])
    }
  }

  @Test("the server with the oldest prompt is the first")
  func oldestServer() {
    for order in [["studio", "attic"], ["attic", "studio"]] {
      inWorld { world, studio in
        let attic = try await world.addServer(named: "attic")
        for server in [studio, attic] { await world.lose(server) }
        for name in order {
          await world.oppi("ask", "--queue", "--key", name, "-w", "\(name)/demo", "hi", exits: 0)
          try await world.pass()
        }
        let flush = await world.oppi("outbox", "flush", exits: 75)
        let keys = flush.lines.map { String($0.prefix { $0 != "\t" }) }
        #expect(keys == order, "\(flush)")
      }
    }
  }

  @Test("a delivery that completes although its flush is cancelled is in the history")
  func cancelled() {
    inWorld { world, server in
      let add = ["shortcuts", "add", "x", "-w", "demo", "--session", "same", "--queue", "hello"]
      await world.oppi(add, exits: 0)
      await world.lose(server)
      await world.oppi("run", "x", exits: 0)
      try server.start()
      let (holder, services) = (world.program(), world.services)
      let flush = FlushOutbox(servers: [try world.paired], context: services)
      // The flush cannot record the session of the accepted prompt while it is cancelled.
      let file = services.paths.shortcutSessionsFile
      try await holder.files.withLock(on: file) { () async throws(FileError) in
        let task = Task(executorPreference: world.loop) { try await flush.run(.all) { _ in } }
        try? await world.pass(.seconds(1))
        #expect(server.heard == ["hello"])
        task.cancel()
        _ = await task.result
      }
      try await world.pass()
      #expect(server.heard == ["hello"])
      let history = await world.oppi("history", "--json")
      #expect(history.json["asks"].array?.map { $0["state"] } == ["accepted"], "\(history)")
    }
  }

  @Test("an expired prompt does not block later prompts")
  func expired() {
    inWorld { world, server in
      let session = try await world.session(asking: "hello")
      await world.lose(server)
      _ = await world.oppi("ask", "--queue", "--expires=60", "--session=\(session)", "first")
      try await world.pass(.seconds(120))
      try server.start()
      let second = await world.oppi("ask", "--queue", "--json", "--session=\(session)", "second")
      #expect(second.json["state"] == "started", "\(second)")
      #expect(server.heard == ["hello", "second"])
    }
  }

  @Test("a workspace that refuses a prompt for now does not block prompts for other workspaces")
  func otherWorkspace() {
    inTroubledWorld { world, server, trouble in
      await world.lose(server)
      for (name, prompt) in [("demo", "first"), ("webapp", "second")] {
        await world.oppi("ask", "--queue", "-w", name, prompt, exits: 0)
        try await world.pass()
      }
      try server.start()
      let place = "/workspaces/\(server.workspaces[0].id)/sessions"
      trouble.at(place, .answer(status: 403, error: "no"))
      await world.oppi("outbox", "flush") { $0.lines.count == 2 && server.heard == ["second"] }
    }
  }

  @Test("a prompt without --queue whose program was killed does not block later prompts")
  func killed() {
    inTroubledWorld { world, server, trouble in
      let session = try await world.session(asking: "hello")
      trouble.at("/stream", .hang)
      let first = ["ask", "--key", "k", "--session=\(session)", "first"]
      try await world.kill(first, after: .seconds(2))
      trouble.end()
      let second = await world.oppi("ask", "--queue", "--json", "--session=\(session)", "second")
      #expect(second.json["state"] == "started", "\(second)")
      #expect(server.heard == ["hello", "second"])
    }
  }

  @Test("a delivered prompt whose key is forgotten does not block later prompts for its session")
  func forgotten() {
    inWorld { world, server in
      let session = try await world.session(asking: "hello")
      await world.oppi("ask", "--key", "k", "--session=\(session)", "first", exits: 0)
      try await world.pass()
      await world.lose(server)
      await world.oppi("ask", "--queue", "--session=\(session)", "second", exits: 0)
      world.kernel.jumpDay(by: .seconds(31 * 86_400))
      try server.start()
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello", "first", "second"])
    }
  }

  @Test("a prompt whose session is to be ended does not block later prompts of its conversation")
  func endedLater() {
    inTroubledWorld { world, server, trouble in
      let add = ["shortcuts", "add", "x", "-w", "demo", "--session", "same", "--after", "stop"]
      _ = await world.oppi(add + ["--queue", "{{n}}"])
      await world.oppi("run", "x", "--var", "n=deploy", exits: 0)
      try await world.pass()
      trouble.at("/stream", .drop)
      let kept = await world.oppi("run", "x", "--var", "n=hello", "--json", exits: 0)
      #expect(kept.json["state"] == "outbox", "\(kept)")
      trouble.end()
      // The agent waits for an approval.
      await world.oppi("outbox", "flush", exits: 0) { $0.output.contains("\tdelivered\t") }
    }
  }

  @Test("a queued prompt does not block prompts for other sessions")
  func others() {
    inWorld { world, server in
      _ = try await world.session(on: server, queueing: "first")
      try server.start()
      let other = await world.oppi("ask", "--queue", "--json", "-w", "demo", "other")
      #expect(other.json["state"] == "accepted", "\(other)")
    }
  }

  @Test("a prompt whose agent starts slowly is queued, too")
  func slowStart() {
    inWorld(where: \.agentStartDelay, is: .seconds(8)) { world, server in
      let session = try await world.session(asking: "hello")
      try await world.pass(.seconds(20))
      _ = await world.oppi("stop", "--session", "--", session)
      let words = ["ask", "--queue", "--json", "--timeout=4", "--session=\(session)", "again"]
      await world.oppi(words, exits: 0) { $0.json["state"] == "outbox" }
      try await world.pass(.seconds(60))
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello", "again"])
    }
  }

  @Test("a queued prompt that is sent again and delivered is in the history once")
  func history() {
    inWorld { world, server in
      await world.lose(server)
      _ = await world.oppi("ask", "--queue", "-w", "studio/demo", "hello")
      try server.start()
      let again = await world.oppi("ask", "--queue", "--json", "-w", "studio/demo", "hello")
      #expect(again.json["state"] == "accepted", "\(again)")
      let history = await world.oppi("history", "--json")
      #expect(history.json["asks"].array?.map { $0["state"] } == ["accepted"], "\(history)")
    }
  }
}

/// How long a used key is remembered.
@Suite struct OutboxMemoryTests {
  private static let day = 86_400
  private static let words = ["ask", "--json", "-w", "demo", "--key", "nightly", "hello"]

  @Test(
    "a prompt is not sent again under its key within 30 days, and is sent after them",
    arguments: [1800, 29 * 86_400, 30 * 86_400 - 2]
  )
  func remembered(seconds: Int) {
    inWorld { world, server in
      _ = await world.oppi(Self.words)
      world.kernel.jumpDay(by: .seconds(seconds))
      _ = await world.oppi("outbox", "flush")
      await world.oppi(Self.words, exits: 0)
      #expect(server.heard == ["hello"])
      // The 30 days count from the delivery, and not from the last use of the key.
      world.kernel.jumpDay(by: .seconds(30 * Self.day - seconds + 2))
      _ = await world.oppi("outbox", "flush")
      _ = await world.oppi(Self.words)
      #expect(server.heard == ["hello", "hello"])
    }
  }

  @Test("a prompt with an unknown outcome is never forgotten")
  func unknown() {
    inTroubledWorld { world, server, trouble in
      _ = await world.lostAnswer(trouble, isQueued: false)
      world.kernel.jumpDay(by: .seconds(400 * Self.day))
      _ = await world.oppi("outbox", "flush")
      #expect(await world.oppi("outbox").output.hasPrefix("k\tunknown\t"))
      await world.oppi("ask", "--key", "k", "-w", "demo", "hello", exits: 6)
      #expect(server.heard.isEmpty)
    }
  }
}
