// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiModel
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Synchronization
import Testing

@testable import OppiClient
@testable import OppiPrompts
@testable import OppiTestSupport

/// The outcomes of prompts in the outbox.
@Suite struct OutboxFateTests {
  @Test("a prompt that is refused at delivery is kept as failed, and can be retried")
  func refusedLater() {
    inTroubledWorld { world, server, trouble in
      await world.keep("hello", for: server)
      try server.start()
      trouble.at("/sessions", .answer(HTTPResponse(status: 404, reason: "Not Found")))
      let flush = await world.oppi("outbox", "flush")
      #expect(flush.status == 66 && flush.output == "k\tfailed\t\n", "\(flush)")
      trouble.end()
      #expect(await world.oppi("outbox", "flush").output.isEmpty)
      await world.oppi("outbox", "retry", "k", exits: 0)
      #expect(server.heard == ["hello"])
    }
  }

  @Test("a prompt with a lost response is neither new nor done, and looked up before it is sent")
  func lostAnswer() {
    inTroubledWorld { world, server, trouble in
      let outcome = await world.lostAnswer(trouble)
      #expect(outcome.error["key"] == "k", "\(outcome)")
      await world.oppi("outbox", "retry", "k", exits: 65, saying: "oppi outbox flush k")
      await world.oppi("outbox", "drop", "--done", exits: 0)
      await world.oppi("outbox") { $0.output.hasPrefix("k\tchecking\t") }
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello"], "\(server.heard)")
    }
  }

  @Test("a sent prompt is not sent again after a check that could not query the server")
  func failedCheck() {
    inTroubledWorld { world, server, trouble in
      _ = await world.oppi("workspaces")
      trouble.losePrompt()
      let words = ["ask", "--json", "--queue", "--key", "k", "-w", "demo", "hello"]
      await world.oppi(words, exits: 6)
      trouble.end()
      let path = "\(World.home)/.local/state/oppi/credentials.json"
      let credentials = try #require(world.disk.contents(of: path))
      world.disk.put(Array("{".utf8), at: path)
      let flush = await world.oppi("outbox", "flush", exits: 75)
      #expect(flush.output.hasPrefix("k\tchecking\t"), "\(flush)")
      #expect(flush.errors.contains("delivery unknown, not resent"), "\(flush)")
      world.disk.put(credentials, at: path)
      // The next agent would not recognize a repeat.
      let session = try #require(server.runs.first?.sessionID)
      await world.oppi("stop", "--session", "--", session, exits: 0)
      _ = await world.oppi("outbox", "flush")
      try await world.pass()
      #expect(server.heard == ["hello"], "\(server.heard)")
    }
  }

  @Test("a sent prompt without --queue is unknown after a check that could not query the server")
  func failedCheckWithoutQueue() {
    inTroubledWorld { world, server, trouble in
      try await OutboxRefusalTests.ask(killedAt: trouble, { $0.isPrompt }, in: world)
      let path = "\(World.home)/.local/state/oppi/credentials.json"
      world.disk.put(Array("{".utf8), at: path)
      await world.oppi("outbox", "flush", exits: 6) { $0.output.hasPrefix("k\tunknown\t") }
    }
  }

  @Test(
    "a delivery that cannot be recorded is reported with a warning, and found by the next flush",
    arguments: [["flush"], ["retry", "k"]]
  )
  func unrecorded(words: [String]) {
    inTroubledWorld { world, server, trouble in
      await world.lose(server)
      let limit = words == ["flush"] ? [] : ["--expires", "1m"]
      let ask = ["ask", "--queue", "--key", "k", "-w", "demo"] + limit
      await world.oppi(ask + ["hello"], exits: 0)
      try await world.pass(.seconds(90))
      try server.start()
      // The server reports its uptime in whole seconds.
      try await world.pass()
      trouble.begin { step in
        if step.isPrompt { world.disk.breakDown() }
        return .proceed
      }
      let warning = "could not record the delivery: "
      let outcome = await world.oppi(["outbox"] + words, exits: 0, saying: warning)
      #expect(outcome.output.hasPrefix("k\tdelivered\t"), "\(outcome)")
      trouble.end()
      world.disk.set(Faults())
      await world.oppi("outbox", "flush", exits: 0) { $0.output.hasPrefix("k\tdelivered\t") }
      #expect(server.heard == ["hello"], "\(server.heard)")
    }
  }

  /// Has a server that has just started hang when it gets the prompt of a program, which is killed.
  private static func killAsk(
    of world: World,
    on server: VirtualServer,
    _ trouble: Trouble
  ) async throws {
    try await world.pass(.seconds(60))
    await world.lose(server)
    try server.start()
    try await world.pass(.milliseconds(300))
    trouble.begin { $0.isPrompt ? .hang : .proceed }
    let words = ["ask", "--queue", "--key", "k", "-w", "demo", "hello"]
    try await world.kill(words, after: .milliseconds(600))
    trouble.end()
    #expect(await world.oppi("outbox").output.hasPrefix("k\tchecking\t"))
  }

  @Test(
    "a prompt of a server's first second is looked up, and sent again unless that was restarted",
    arguments: [Dialect.multiplexed, .deviceKeys],
    [false, true]
  )
  func youngServer(dialect: Dialect, isRestarted: Bool) {
    inTroubledWorld(dialect) { world, server, trouble in
      try await Self.killAsk(of: world, on: server, trouble)
      if isRestarted {
        await server.end(.killed)
        try server.start()
      }
      let (state, status): (String, Int32) = isRestarted ? ("unknown", 6) : ("delivered", 0)
      await world.oppi("outbox", "flush", exits: status) { $0.output.hasPrefix("k\t\(state)\t") }
      #expect(server.heard == (isRestarted ? [] : ["hello"]))
    }
  }

  @Test("a delivery that can no longer be determined is unknown, and is not retried automatically")
  func unknown() {
    inTroubledWorld { world, server, trouble in
      _ = await world.lostAnswer(trouble)
      await server.end(.killed)
      try server.start()
      let flush = await world.oppi("outbox", "flush")
      #expect(flush.status == 6 && flush.output.hasPrefix("k\tunknown\t"), "\(flush)")
      await world.oppi("outbox", "flush", exits: 0) { $0.output.isEmpty }
      await world.oppi("ask", "--json", "--key", "k", "-w", "demo", "hello", exits: 6)
      #expect(server.heard.isEmpty)
      await world.oppi("outbox", "drop", "--done", exits: 0, saying: "dropped 1 prompt")
    }
  }

  @Test("a prompt that has another state than the user saw is neither sent again nor dropped")
  func changedMeanwhile() {
    inTroubledWorld { world, server, trouble in
      _ = await world.lostAnswer(trouble)
      await server.end(.killed)
      try server.start()
      await world.oppi("outbox", "flush", exits: 6)
      let services = world.services
      let key = try #require(OutboxKey("k"))
      for seen in ["failed", "outbox"] {
        await #expect(throws: OppiError.self) { try await services.retryPrompt(key, seenAs: seen) }
        await #expect(throws: OppiError.self) {
          try await services.dropPrompt(key, onlyIfFailed: false, seenAs: seen)
        }
      }
      #expect(server.heard.isEmpty)
      _ = try await services.retryPrompt(key, seenAs: "unknown")
      #expect(server.heard == ["hello"])
    }
  }

  @Test("a retry without a server is queued, also if the prompt was not")
  func retriedWithoutServer() {
    inTroubledWorld { world, server, trouble in
      _ = await world.lostAnswer(trouble, isQueued: false)
      await server.end(.killed)
      await world.oppi("outbox", "retry", "k", exits: 75, saying: "prompt k is still queued")
      await world.oppi("outbox", "flush", exits: 75) { $0.output == "k\toutbox\t\n" }
      try server.start()
      await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard == ["hello"], "\(server.heard)")
    }
  }

  @Test(
    "a prompt without --queue that is found to be refused has failed, although a retry may help"
  )
  func refusedWithoutQueue() {
    inTroubledWorld { world, server, trouble in
      _ = await world.oppi("workspaces")
      // The server reports its uptime in whole seconds.
      try await world.pass()
      trouble.losePrompt()
      try await world.kill(["ask", "--key", "k", "-w", "demo", "refuse limit"], after: .seconds(2))
      trouble.end()
      let flush = await world.oppi("outbox", "flush", exits: 75)
      #expect(flush.output.hasPrefix("k\tfailed\t"), "\(flush)")
      await world.oppi("outbox", "flush", exits: 0) { $0.output.isEmpty }
      await world.oppi("outbox") { $0.output.hasPrefix("k\tfailed\t") }
    }
  }

  @Test(
    "a prompt is not sent again to a restarted server after the clock was set back",
    arguments: [0, -30, -90, -150]
  )
  func clockSetBack(jump: Int) {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      _ = await world.lostAnswer(trouble)
      await server.end(.killed)
      try server.start()
      // With a loaded agent only the uptime of the server shows the restart.
      let sessions = await world.oppi("sessions", "--json")
      let id = try #require(sessions.json["sessions"].array?.first?["id"].string)
      _ = await world.oppi("ask", "-s", id, "--", "second")
      try await world.pass(.seconds(120))
      world.kernel.jumpDay(by: .seconds(jump))
      await world.oppi("outbox", "flush", exits: 6) { $0.output.hasPrefix("k\tunknown\t") }
      #expect(server.heard == ["second"], "\(server.heard)")
      // The uptime is enough: the events of another process say nothing.
      #expect(server.messages.count { $0.type == "subscribe" } == 2)
    }
  }

  @Test("drop and retry reject unsuitable prompts, with a hint")
  func refusals() {
    inWorld { world, server in
      _ = await world.oppi("workspaces")
      let gone = await world.oppi("outbox", "drop", "nobody")
      #expect(gone.status == 66 && gone.errors.hasPrefix("oppi: no prompt 'nobody'"), "\(gone)")
      await server.end(.inOrder)
      _ = await world.oppi("ask", "--queue", "--key", "k", "-w", "demo", "hello")
      await world.oppi("outbox", "retry", "k", exits: 65, saying: "oppi outbox flush k")
      await world.oppi("outbox", "drop", exits: 64)
      await world.oppi("outbox", "drop", "k", exits: 0)
      try server.start()
      _ = await world.oppi("outbox", "flush")
      #expect(server.heard.isEmpty)
    }
  }

  @Test("a prompt for a server that is no longer paired is kept and reported")
  func notPaired() {
    inWorld { world, server in
      await world.keep("hello", for: server)
      let forget = await world.oppi("servers", "forget", "studio", exits: 0)
      let words = "1 queued prompt for studio cannot be delivered now"
      #expect(forget.errors.contains(words), "\(forget)")
      await world.oppi("outbox", "flush", exits: 78) { $0.output == "k\tnot-paired\t\n" }
    }
  }

  @Test("a damaged file is reported, not changed, and does not block other prompts")
  func damaged() {
    inWorld { world, server in
      await world.keep("hello", for: server)
      let path = "\(World.home)/.local/state/oppi/outbox/broken.json"
      world.disk.put(Array("{".utf8), at: path)
      try server.start()
      let flush = await world.oppi("outbox", "flush")
      #expect(flush.status != 0 && flush.output.contains("broken\tdamaged\t"), "\(flush)")
      #expect(server.heard == ["hello"])
      #expect(world.disk.contents(of: path) == Array("{".utf8))
    }
  }

  @Test("watch delivers queued prompts when their server is back")
  func watch() {
    inWorld { world, server in
      await world.keep("hello", for: server)
      let watching = try await Watching(in: world)
      try await world.pass(.seconds(120))
      #expect(server.heard.isEmpty)
      try server.start()
      try await world.pass(.seconds(120))
      #expect(server.heard == ["hello"])
      let output = await watching.end().output
      #expect(output.contains("k\tdelivered\tstudio/"), "\(output)")
    }
  }

  @Test("a prompt expires at its deadline while its server is down, in list, flush and watch")
  func expires() {
    inWorld { world, server in
      await world.keep("hello", for: server)
      for (key, limit) in [("short", "1m"), ("long", "2m")] {
        let words = ["ask", "--queue", "--expires", limit, "--key", key, "-w", "demo", key]
        await world.oppi(words, exits: 0)
      }
      func states() async -> [String: String] {
        let list = await world.oppi("outbox", "list", "--json").json["prompts"].array ?? []
        let pairs = list.map { ($0["key"].string ?? "", $0["state"].string ?? "") }
        return Dictionary(pairs) { $1 }
      }
      try await world.pass(.seconds(50))
      #expect(await states() == ["k": "outbox", "short": "outbox", "long": "outbox"])
      try await world.pass(.seconds(20))
      #expect(await states() == ["k": "outbox", "short": "expired", "long": "outbox"])
      // The server is unreachable for the first prompt; the expired prompt behind it is reported.
      let flush = await world.oppi("outbox", "flush")
      #expect(flush.output.contains("short\texpired"), "\(flush)")
      #expect(!flush.output.contains("long\t"), "\(flush)")
      let watching = try await Watching(in: world)
      try await world.pass(.seconds(30))
      #expect(!watching.program.outputSoFar.contains("expired"))
      try await world.pass(.seconds(30))
      #expect(watching.program.outputSoFar.contains("long\texpired"))
      let summary = "A queued prompt expired before delivery"
      #expect(watching.count(of: summary) == 1, "\(watching.summaries)")
      let history = await world.oppi("history", "--json").json["asks"].array ?? []
      #expect(history.map { $0["state"] } == ["expired", "expired", "outbox"])
      _ = await watching.end()
      #expect(server.heard.isEmpty)
    }
  }

  @Test("a prompt that another process has dropped is an error only if it was named")
  func droppedMeanwhile() {
    inFlowWorld([]) { home in
      let key = try #require(OutboxKey("gone"))
      #expect(try await home.context.dropPrompt(key, onlyIfFailed: true) == nil)
      await #expect(throws: OppiError.self) {
        _ = try await home.context.dropPrompt(key, onlyIfFailed: false)
      }
    }
  }

  @Test("watch reports the expiry of a prompt that is queued while it runs")
  func expiresWhileWatched() {
    inWorld { world, server in
      _ = await world.oppi("workspaces")
      await server.end(.killed)
      let watching = try await Watching(in: world)
      _ = await world.oppi(["ask", "--queue", "--expires", "20s", "-w", "demo", "soon"])
      try await world.pass(.seconds(27))
      #expect(watching.program.outputSoFar.contains("\texpired"))
    }
  }

  @Test("an ask in a session with queued prompts reports that they are delivered later")
  func overtaking() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      await server.end(.inOrder)
      for number in 1...2 {
        await world.oppi("ask", "--queue", "--session=\(id)", "later \(number)", exits: 0)
      }
      try server.start()
      await world.oppi("ask", "--session=\(id)", "now", exits: 0, saying: " and 1 more")
      await world.oppi("ask", "-w", "demo", "elsewhere", exits: 0) { !$0.errors.contains("outbox") }
      #expect(
        server.heard == ["hello", "now", "elsewhere"] || server.heard == ["now", "elsewhere"]
      )
    }
  }
}
