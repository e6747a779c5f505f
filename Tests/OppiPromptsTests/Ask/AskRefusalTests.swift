// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Prompts that a server refuses, or handles differently than requested.
@Suite struct AskRefusalTests {
  @Test(
    "a unit separated from its number is an error, and not part of the prompt",
    arguments: [
      ("5", "minutes", "5m"), ("30", "sec", "30s"), ("2", "Hours", "2h"), ("1", "day", "24h"),
    ]
  )
  func unitApart(number: String, unit: String, whole: String) {
    inWorld { world, server in
      let outcome = await world.oppi("ask", "-w", "demo", "--timeout", number, unit, "hello")
      #expect(outcome.status == 64, "\(outcome)")
      #expect(outcome.errors.contains("write: --timeout \(whole)"), "\(outcome)")
      await world.oppi("ask", "-w", "demo", "--timeout=\(number)", unit, "hello", exits: 64)
      #expect(server.heard.isEmpty)
      // After a number with a unit, or after `--`, the word is part of the prompt.
      await world.oppi("ask", "-w", "demo", "--timeout", "30s", unit, "pass", exits: 0)
      let plain = await world.oppi("ask", "-w", "demo", "--timeout", "30", "--", unit, "pass")
      #expect(plain.status == 0 && server.heard == ["\(unit) pass", "\(unit) pass"], "\(plain)")
    }
  }

  @Test("a prompt that the agent refuses deletes its session only if the session is new")
  func agentRefuses() {
    inWorld { world, server in
      let new = await world.oppi("ask", "-w", "demo", "--json", "refuse")
      #expect(new.status == 1 && new.output.isEmpty, "\(new)")
      #expect(new.error["code"] == "prompt-refused", "\(new)")
      #expect(new.error["sessionId"] == .null, "\(new)")
      let message = new.error["message"].string ?? ""
      #expect(message.hasPrefix("the agent refused the prompt: No API key found"), "\(new)")
      #expect(server.sessionsRemoved == 1)
      let old = try await world.session(asking: "hello")
      let again = await world.oppi("ask", "--session=\(old)", "--json", "refuse", exits: 1)
      #expect(again.error["sessionId"].string == old, "\(again)")
      #expect(server.sessionsRemoved == 1)
    }
  }

  /// Servers with a stream per session report no refusal; only `--wait` notices the silence.
  @Test(
    "a prompt that the agent refuses has the same status with --wait",
    arguments: Dialect.all.filter { $0 != .perSession }
  )
  func sameStatus(dialect: Dialect) {
    inWorld(dialect) { world, server in
      for words in [[], ["--wait"], ["--queue"]] {
        let ask = ["ask", "-w", "demo", "--json"] + words + ["refuse"]
        await world.oppi(ask, exits: 1) { $0.error["code"] == "prompt-refused" }
      }
      #expect(server.heard.isEmpty)
    }
  }

  @Test(
    "--wait detects that the agent of an older server refused a prompt",
    arguments: Dialect.both
  )
  func agentRefusesInSilence(dialect: Dialect) {
    inWorld(dialect, where: \.isEarly, is: true) { world, server in
      let begin = world.loop.now
      let outcome = await world.oppi("ask", "--wait", "-w", "demo", "--json", "refuse", exits: 1)
      #expect(outcome.error["code"] == "prompt-refused", "\(outcome)")
      #expect(outcome.errors.contains("does not report why"), "\(outcome)")
      #expect(begin.duration(to: world.loop.now) < .seconds(8))
      let session = try await world.session(asking: "hello")
      await world.oppi("ask", "--wait", "--session=\(session)", "--json", "refuse", exits: 1) {
        $0.error["code"] == "prompt-refused"
      }
      #expect(server.heard == ["hello"])
    }
  }

  @Test("a full server is status 75, and the new session is deleted", arguments: Dialect.all)
  func full(dialect: Dialect) {
    inWorld(dialect, where: \.limits.loadedSessionsPerWorkspace, is: 1) { world, server in
      _ = try await world.session(asking: "one")
      for words in [[], ["--wait"]] {
        let outcome = await world.oppi(["ask", "-w", "demo", "--json", "two"] + words, exits: 75)
        #expect(outcome.error["code"] == "no-room", "\(outcome)")
        // Servers with session sockets report it on some ways.
        let serverCode = dialect == .perSession ? "SESSION_LIMIT_WORKSPACE" : nil
        let code = outcome.error["serverCode"].string
        #expect(code == serverCode || dialect.stream == .session, "\(outcome)")
        #expect(outcome.error["sessionId"] == .null, "\(outcome)")
      }
      #expect(server.sessionsRemoved == 2)
      #expect(server.heard == ["one"])
    }
  }

  @Test(
    "a server that fails or refuses every creation of a session is reported with its own words",
    arguments: [
      (500, "the disk is full", "server-error", 69), (503, "starting up", "timed-out", 75),
      (503, "Workspace session limit (3) reached", "no-room", 75),
    ]
  )
  func creationFails(status: Int, text: String, code: String, exitStatus: Int32) {
    inTroubledWorld { world, server, trouble in
      trouble.at("/sessions", .answer(status: status, error: text))
      let waiting = await world.oppi("ask", "--wait", "-w", "demo", "--json", "hi")
      #expect(waiting.status == exitStatus, "\(waiting)")
      #expect(waiting.error["code"].string == code, "\(waiting)")
      #expect(waiting.errors.contains(text), "\(waiting)")
      let plain = await world.oppi("ask", "-w", "demo", "--json", "hi")
      // A server without room has not performed the request; of another failure that is not certain.
      let isCertain = code == "no-room"
      #expect(plain.status == (isCertain ? 75 : 6), "\(plain)")
      #expect(plain.errors.contains(text), "\(plain)")
      #expect(plain.errors.contains("oppi sessions") == !isCertain, "\(plain)")
      let queued = await world.oppi("ask", "--queue", "-w", "demo", "--json", "hi")
      #expect(queued.status == (isCertain ? 0 : 6), "\(queued)")
      #expect(server.heard.isEmpty)
    }
  }

  @Test("an existing session that a full server does not load is kept", arguments: Dialect.all)
  func fullForOld(dialect: Dialect) {
    inWorld(dialect, where: \.limits.loadedSessionsPerWorkspace, is: 1) { world, server in
      let first = try await world.session(asking: "one")
      _ = await world.oppi("stop", "--session", "--", first)
      _ = try await world.session(asking: "two")
      let outcome = await world.oppi("ask", "--session=\(first)", "--json", "three", exits: 75)
      #expect(outcome.error["code"] == "no-room", "\(outcome)")
      #expect(server.sessionsRemoved == 0)
    }
  }

  @Test(
    "an agent that cannot start is status 69 with the server's message, and leaves no session",
    arguments: Dialect.all
  )
  func startFails(dialect: Dialect) {
    inWorld(dialect) {
      $0.startFailures = [$0.workspaces[0].id: "Workspace path does not exist: /srv/demo"]
    } _: { world, server in
      let outcome = await world.oppi("ask", "-w", "demo", "--json", "hi", exits: 69)
      #expect(outcome.error["code"] == "agent-not-started", "\(outcome)")
      #expect(outcome.errors.contains("path does not exist: /srv/demo"), "\(outcome)")
      #expect(server.sessionsRemoved == 1 && server.heard.isEmpty)
    }
  }

  @Test("the level medium is sent to a session with another level", arguments: Dialect.all)
  func mediumAgain(dialect: Dialect) {
    inWorld(dialect) { world, server in
      _ = await world.oppi("ask", "--wait", "-w", "demo", "-t", "high", "one")
      let outcome = await world.oppi("ask", "-s", "last", "-t", "medium", "--json", "two")
      #expect(outcome.json["thinking"] == "medium", "\(outcome)")
      let levels = server.messages.filter { $0.type == "set_thinking_level" }
      #expect(levels.map { $0.json["level"] } == ["high", "medium"])
    }
  }

  // MARK: - Several targets

  @Test(
    "with several targets, a failed target is named and does not delay the others",
    arguments: Dialect.all
  )
  func oneOfSeveral(dialect: Dialect) {
    inWorld(dialect) {
      $0.startFailures = [$0.workspaces[1].id: "no such folder"]
    } _: { world, server in
      let words = ["ask", "--wait", "-w", "demo", "-w", "webapp", "hello"]
      let outcome = await world.oppi(words, exits: 69, saying: "studio/webapp: ")
      #expect(outcome.output == "studio/demo\tThe command printed: hi\n", "\(outcome)")
      #expect(outcome.errors.contains("no such folder"), "\(outcome)")
      let documents = await world.oppi(words + ["--json"]).jsonLines
      let failed = documents.first { $0["state"] == "failed" }
      #expect(documents.count == 2 && failed?["workspace"]["name"] == "webapp", "\(documents)")
    }
  }

  @Test(
    "with several targets, an unknown delivery takes precedence over a failure",
    arguments: Dialect.all,
    [0, 1]
  )
  func unknownAmongSeveral(dialect: Dialect, lost: Int) {
    inWorld(dialect) {
      $0.startFailures = [$0.workspaces[1 - lost].id: "no such folder"]
      let place = "/workspaces/\($0.workspaces[lost].id)/sessions"
      $0.interceptor = { step in
        // Paired servers whose dialect is known launch the prompt with its session.
        let isLost = dialect.credential == .deviceKey && step.isRequest(place)
        return isLost ? .hang : step.isMessage("prompt") ? .ignore : .proceed
      }
    } _: { world, server in
      let words = ["ask", "-w", "demo", "-w", "webapp", "--timeout", "5s", "hello"]
      let text = await world.oppi(words, exits: 6)
      // The most important error is printed last.
      #expect(text.errors.contains("no such folder"), "\(text)")
      let name = server.workspaces[lost].name
      let last = text.errorLines.last { $0.hasPrefix("oppi: ") }
      #expect(last?.contains("studio/\(name): delivery unknown") == true, "\(text)")
      let json = await world.oppi(words + ["--json"], exits: 6)
      #expect(json.error["code"] == "delivery-unknown", "\(json)")
      #expect(json.error["status"] == 6, "\(json)")
    }
  }

  // MARK: - Slow starts

  @Test(
    "an agent start longer than --timeout is an unknown delivery, and the prompt still runs",
    arguments: Dialect.both
  )
  func slowStart(dialect: Dialect) {
    inWorld(dialect, where: \.agentStartDelay, is: .seconds(10)) { world, server in
      let outcome = await world.oppi("ask", "-w", "demo", "--timeout", "5s", "--json", "hello")
      #expect(outcome.status == 6, "\(outcome)")
      let id = try #require(outcome.error["sessionId"].string, "\(outcome)")
      try await world.pass(.seconds(20))
      #expect(server.runs.map(\.sessionID) == [id])
      await world.oppi("ask", "-w", "demo", "--wait", "--timeout", "5s", "hello", exits: 124)
      let waiting = await world.oppi("ask", "-w", "demo", "--wait", "hello")
      #expect(waiting.output == "The command printed: hi\n", "\(waiting)")
    }
  }

  @Test("a prompt that the agent refuses late is an unknown delivery, also before --timeout")
  func refusedLate() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      for limit in [[], ["--timeout", "60s"]] {
        let words = ["ask", "--session=\(id)", "--wait", "--json"] + limit + ["refuse late"]
        let outcome = await world.oppi(words, exits: 6) { $0.elapsed < .seconds(20) }
        #expect(outcome.error["code"] == "delivery-unknown", "\(outcome)")
        #expect(!outcome.errors.contains("--timeout"), "\(outcome)")
      }
      #expect(server.heard == ["hello"])
    }
  }
}
