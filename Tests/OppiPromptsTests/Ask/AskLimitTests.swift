// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import HTTPCodec
import OppiModel
import OppiText
import OppiWire
import Simulation
import Synchronization
import Testing

@testable import OppiClient
@testable import OppiPrompts
@testable import OppiTestSupport

/// Usage limits of the model's provider, and `--on-limit`.
@Suite struct AskLimitTests {
  /// Servers that report why a turn failed.
  private static let dialects: [Dialect] = [.multiplexed, .sessionSockets, .deviceKeys]
  private static let ask = ["ask", "--json", "-w", "demo", "--wait"]
  private static let message = "Please continue where you stopped."

  @Test("a turn that reaches a usage limit is limited, with its stated end", arguments: dialects)
  func limited(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let outcome = await world.oppi(Self.ask + ["usage limit"], exits: 75)
      #expect(outcome.json["state"] == "limited", "\(outcome)")
      #expect(outcome.error["code"] == "limited", "\(outcome)")
      #expect(outcome.json["resetAt"].string == outcome.error["resetAt"].string, "\(outcome)")
      let reset = outcome.json["resetAt"].string.flatMap { Timestamp(iso8601: $0) }
      let left = reset.map { $0.seconds - world.loop.timestamp().seconds } ?? 0
      #expect((1790...1800).contains(left), "\(outcome)")
      await world.oppi("history", "--json") { $0.json["asks"].array?.first?["state"] == "limited" }
    }
  }

  @Test("a limit without a stated end has none, and is neither waited for nor queued")
  func withoutEnd() {
    inWorld { world, server in
      for choice in ["fail", "wait", "queue"] {
        let outcome = await world.oppi(Self.ask + ["--on-limit", choice, "rate limit"])
        #expect(outcome.status == 75 && outcome.json["state"] == "limited", "\(outcome)")
        #expect(outcome.json["resetAt"] == .null, "\(outcome)")
        #expect(outcome.elapsed < .seconds(60), "\(outcome)")
      }
      await world.oppi("outbox", "--json") { $0.json["prompts"].array?.isEmpty == true }
    }
  }

  @Test(
    "with --on-limit wait the turn continues after the reset in the same session",
    arguments: dialects
  )
  func waits(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let outcome = await world.oppi(Self.ask + ["--on-limit", "wait", "usage limit"])
      #expect(outcome.status == 0 && outcome.json["state"] == "finished", "\(outcome)")
      #expect(outcome.json["response"] == "The command printed: hi", "\(outcome)")
      #expect(outcome.elapsed >= .seconds(1800) && outcome.elapsed < .seconds(1900), "\(outcome)")
      #expect(server.heard == ["usage limit", Self.message])
      #expect(server.sessionsMade == 1)
    }
  }

  @Test("the time of day decides when the limit is reset, also after a jump of the clock")
  func clockJump() {
    inWorld { world, server in
      let waiting = world.begin("ask", "--wait", "--on-limit", "wait", "-w", "demo", "usage limit")
      try await world.pass(.seconds(120))
      // As after a suspend.
      world.kernel.jumpDay(by: .seconds(1680))
      let outcome = await waiting.value
      #expect(outcome.status == 0 && outcome.elapsed < .seconds(300), "\(outcome)")
      #expect(server.heard == ["usage limit", Self.message])
    }
  }

  @Test("a reset that is over by the clock is waited for, too, for a minute")
  func pastReset() {
    inTroubledWorld { world, server, trouble in
      let turnEnd = world.loop.now + .seconds(2)
      let hasJumped = Atomic(false)
      trouble.begin { step in
        // The session is read before the pause, which begins 2 s after the turn.
        guard case .request(let request, _) = step, request.method == "GET",
          request.target.contains("/sessions/"), turnEnd <= world.loop.now,
          !hasJumped.exchange(true, ordering: .relaxed)
        else { return .proceed }
        world.kernel.jumpDay(by: .seconds(1900))
        return .proceed
      }
      let outcome = await world.oppi(Self.ask + ["--on-limit", "wait", "usage limit"], exits: 0)
      #expect(outcome.elapsed >= .seconds(60) && outcome.elapsed < .seconds(120), "\(outcome)")
      #expect(server.heard == ["usage limit", Self.message])
    }
  }

  @Test("a reset after --timeout is not waited for")
  func tooLate() {
    inWorld { world, server in
      let early = ["--on-limit", "wait", "--timeout", "20m", "usage limit"]
      await world.oppi(Self.ask + early, exits: 75) { $0.elapsed < .seconds(60) }
      #expect(server.heard == ["usage limit"])
    }
  }

  @Test("the wait for a reset ends with --timeout, also after the clock was set back")
  func clockSetBack() {
    inWorld { world, server in
      let words = ["--on-limit", "wait", "--timeout", "3610s", "usage limit"]
      let waiting = world.begin(Self.ask + words)
      try await world.pass(.seconds(120))
      world.kernel.jumpDay(by: .seconds(-86_400))
      let outcome = await waiting.value
      #expect(outcome.status == 75 && outcome.json["state"] == "limited", "\(outcome)")
      #expect(outcome.elapsed >= .seconds(3610) && outcome.elapsed < .seconds(3620), "\(outcome)")
      #expect(outcome.errors.contains("--timeout elapsed before the reset"), "\(outcome)")
      #expect(server.heard == ["usage limit"])
    }
  }

  @Test("a session that someone continues meanwhile is left alone")
  func continuedElsewhere() {
    inWorld { world, server in
      let waiting = world.begin(Self.ask + ["--on-limit", "wait", "usage limit"])
      try await world.pass(.seconds(600))
      await world.oppi("ask", "--wait", "-s", "last", "hello", exits: 0)
      let outcome = await waiting.value
      #expect(outcome.status == 75 && outcome.json["state"] == "limited", "\(outcome)")
      #expect(outcome.errors.contains("not continued"), "\(outcome)")
      #expect(server.heard == ["usage limit", "hello"])
    }
  }

  @Test("an interrupt during the pause is status 130, and nothing is sent later")
  func interrupted() {
    inWorld { world, server in
      let words = ["ask", "--wait", "--on-limit", "wait", "-w", "demo", "usage limit"]
      let terminal = world.start(words)
      try await world.pass(.seconds(60))
      terminal.type("\u{03}")
      try await terminal.end(exits: 130)
      try await world.pass(.seconds(3600))
      #expect(server.heard == ["usage limit"])
    }
  }

  @Test("with --on-limit queue the continuation is sent once, after the reset", arguments: dialects)
  func queues(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let outcome = await world.oppi(Self.ask + ["--on-limit", "queue", "usage limit"])
      #expect(outcome.status == 0 && outcome.json["state"] == "outbox", "\(outcome)")
      #expect(outcome.json["resetAt"].string != nil, "\(outcome)")
      // Neither a flush of everything nor the clock one minute before sends it.
      for _ in 0..<2 {
        await world.oppi("outbox", "flush", saying: "no queued prompt is due")
        _ = await world.oppi("outbox", "flush", "--due")
        #expect(server.heard == ["usage limit"])
        try await world.pass(.seconds(1740))
      }
      for _ in 0..<2 {
        await world.oppi("outbox", "flush", "--due", exits: 0)
        try await world.pass()
      }
      #expect(server.heard == ["usage limit", Self.message])
      #expect(server.sessionsMade == 1)
    }
  }

  @Test("a second turn of a session that reaches a limit has a continuation of its own")
  func queuesAgain() {
    inWorld { world, server in
      for place in [["-w", "demo"], ["-s", "last"]] {
        let words = ["ask", "--json", "--wait", "--on-limit", "queue"] + place
        await world.oppi(words + ["usage limit"]) { $0.json["state"] == "outbox" }
      }
      await world.oppi("outbox", "--json") { $0.json["prompts"].array?.count == 2 }
      try await world.pass(.seconds(1900))
      _ = await world.oppi("outbox", "flush")
      try await world.pass()
      #expect(server.heard == ["usage limit", "usage limit", Self.message])
    }
  }

  @Test("a queued continuation of a session that was continued is not sent")
  func queuedButContinued() {
    inWorld { world, server in
      _ = await world.oppi(Self.ask + ["--on-limit", "queue", "usage limit"])
      await world.oppi("ask", "--wait", "-s", "last", "hello", exits: 0)
      try await world.pass(.seconds(1900))
      await world.oppi("outbox", "flush") { $0.status != 0 && $0.output.contains("failed") }
      #expect(server.heard == ["usage limit", "hello"])
    }
  }

  @Test(
    "a refusal because of a limit is limited, status 75; with --queue it is tried after the reset",
    arguments: dialects
  )
  func refused(dialect: Dialect) {
    inWorld(dialect) { world, server in
      for words in [["ask"], ["ask", "--key", "k"], ["ask", "--wait"]] {
        let outcome = await world.oppi(words + ["--json", "-w", "demo", "refuse limit"])
        #expect(outcome.status == 75 && outcome.error["code"] == "limited", "\(outcome)")
        #expect(outcome.error["resetAt"].string != nil, "\(outcome)")
        guard words.contains("--wait") else { continue }
        #expect(outcome.json["state"] == "limited", "\(outcome)")
        #expect(outcome.json["resetAt"] == outcome.error["resetAt"], "\(outcome)")
      }
      await world.oppi("history", "--json") { $0.json["asks"].array?.first?["state"] == "limited" }
      let kept = await world.oppi("ask", "--json", "--queue", "-w", "demo", "refuse limit")
      #expect(kept.status == 0 && kept.json["state"] == "outbox", "\(kept)")
      #expect(kept.json["resetAt"].string != nil, "\(kept)")
      let made = server.sessionsMade
      _ = await world.oppi("outbox", "flush")
      #expect(server.sessionsMade == made)
      try await world.pass(.seconds(1900))
      _ = await world.oppi("outbox", "flush", "--due")
      #expect(server.sessionsMade == made + 1)
    }
  }

  @Test("a continuation whose answer was lost is looked up, although its session has changed")
  func lostContinuation() {
    inTroubledWorld { world, server, trouble in
      _ = await world.oppi(Self.ask + ["--on-limit", "queue", "usage limit"])
      try await world.pass(.seconds(1900))
      trouble.losePrompt()
      _ = await world.oppi("outbox", "flush", "--due")
      trouble.end()
      await world.oppi("outbox", "flush", exits: 0) { $0.output.contains("\tdelivered\t") }
      #expect(server.heard == ["usage limit", Self.message])
    }
  }

  @Test("a turn has one continuation, however often it is queued")
  func oneContinuation() {
    inFlowWorld(["studio"]) { flow in
      let pause = LimitPause(
        session: ServerSession(server: flow.paired[0], id: "S", workspaceID: "W"),
        turnID: "turn-1",
        resetAt: flow.context.now(),
        messageCount: 3,
        context: flow.context
      )
      let first = try await pause.queue(within: Budget(), endingSession: false)
      let again = try await pause.queue(within: Budget(), endingSession: false)
      #expect(again.content.clientTurnID == first.content.clientTurnID)
    }
  }

  @Test("--on-limit needs a command that waits")
  func contradiction() {
    inWorld { world, server in
      let outcome = await world.oppi("ask", "-w", "demo", "--on-limit", "wait", "hello", exits: 64)
      #expect(outcome.errors.contains("--on-limit requires --wait or --follow"), "\(outcome)")
      let words = ["shortcuts", "add", "s", "-w", "demo", "--on-limit", "queue", "hello"]
      let shortcut = await world.oppi(words)
      #expect(shortcut.status == 64 || shortcut.status == 65, "\(shortcut)")
    }
  }

  @Test("a shortcut with --on-limit queue queues the continuation")
  func shortcut() {
    inWorld { world, server in
      let add = ["shortcuts", "add", "s", "-w", "demo", "--wait", "--on-limit", "queue"]
      await world.oppi(add + ["usage limit"], exits: 0)
      await world.oppi("run", "--json", "s", exits: 0) { $0.json["state"] == "outbox" }
    }
  }
}
