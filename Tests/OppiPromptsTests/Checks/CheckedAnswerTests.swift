// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import OppiText
import Simulation
import Synchronization
import Testing

@testable import OppiTestSupport

/// `--schema` and `--verify`.
@Suite struct CheckedAnswerTests {
  private static let ask = ["ask", "--json", "--wait", "-w", "demo"]

  /// A world with a shortcut whose answer has a schema.
  private func inSchemaWorld(
    _ schema: String,
    prompt: String = "hello",
    _ body: @escaping @Sendable (World, VirtualServer) async throws -> Void
  ) {
    inWorld { world, server in
      let text = """
        {"workspace": "demo", "prompt": "\(prompt)", "wait": true, "schema": \(schema)}
        """
      world.disk.put(Array(text.utf8), at: "\(World.home)/.config/oppi/shortcuts/s.json")
      try await body(world, server)
    }
  }

  @Test("an answer that is no JSON is asked for once more, then the status is 65")
  func mismatch() {
    inSchemaWorld(#"{"type":"string"}"#) { world, server in
      let outcome = await world.oppi("run", "--json", "s")
      #expect(outcome.status == 65 && outcome.error["code"] == "bad-input", "\(outcome)")
      #expect(outcome.json["state"] == "failed" && outcome.json["response"] == .null, "\(outcome)")
      try #require(server.heard.count == 2 && server.sessionsMade == 1)
      #expect(server.heard[0].hasPrefix("hello\n\nAnswer with one JSON value"), "\(server.heard)")
      #expect(server.heard[1].hasPrefix("Your answer does not match the schema"))
    }
  }

  @Test("only the answer's JSON is printed, as the agent wrote it")
  func match() {
    let schema = #"{"type":"object","required":["version"]}"#
    inSchemaWorld(schema, prompt: "version as JSON") { world, server in
      let outcome = await world.oppi("run", "s", exits: 0)
      #expect(outcome.output == "{\"version\": \"1.0\"}\n", "\(outcome)")
      #expect(server.heard.count == 1)
    }
  }

  @Test("a schema that cannot be used is refused before anything is sent")
  func refused() {
    inSchemaWorld(#"{"pattern":"x"}"#) { world, server in
      await world.oppi("run", "s", exits: 78, saying: "keyword 'pattern'")
      #expect(server.heard.isEmpty)
    }
  }

  @Test("a command proves the turn; its failure is the turn's, after the retries", arguments: 0...2)
  func verify(failures: Int) {
    inWorld { world, server in
      let left = Mutex(failures)
      world.programs.put("/bin/sh") { process in
        #expect(process.input == Array("The command printed: hi".utf8))
        let fails = left.withLock { left in
          defer { left -= 1 }
          return left > 0
        }
        let text = "line\n2 tests failed\u{1B}[0m\n"
        return ChildProcess.Outcome(output: Array(text.utf8), status: fails ? 3 : 0)
      }
      let words = ["--verify", "make test", "--verify-retries", "1", "hello"]
      let outcome = await world.oppi(Self.ask + words)
      #expect(server.heard.count == min(failures, 1) + 1 && server.sessionsMade == 1)
      if failures > 0 {
        try #require(server.heard.count == 2)
        #expect(server.heard[1].contains("status 3") && server.heard[1].contains("2 tests failed"))
        #expect(!server.heard[1].contains("\u{1B}"))
      }
      if failures < 2 {
        #expect(outcome.status == 0 && outcome.json["state"] == "finished", "\(outcome)")
      } else {
        #expect(outcome.status == 1 && outcome.json["state"] == "failed", "\(outcome)")
        #expect(outcome.error["reason"] == "not-verified", "\(outcome)")
        let message = outcome.error["message"]
        #expect(message == "not verified: the command exited with status 3", "\(outcome)")
        #expect(outcome.error["output"].string?.contains("2 tests failed") == true, "\(outcome)")
      }
    }
  }

  @Test("the retries of each check are counted, also if the answers fail one and the other in turn")
  func alternating() {
    // Only a message with the schema is answered with JSON.
    let checks = #"{"description": "as JSON"}, "verify": "make test", "verify-retries": 1"#
    inSchemaWorld(checks) { world, server in
      world.programs.put("/bin/sh") { _ in
        ChildProcess.Outcome(status: world.programs.runs.count > 2 ? 0 : 3)
      }
      await world.oppi("run", "s", exits: 1, saying: "not verified")
      #expect(server.heard.count == 3 && world.programs.runs.count == 2, "\(server.heard)")
    }
  }

  @Test("the error of a failed check ends with the last lines of its output")
  func output() {
    inWorld { world, server in
      world.programs.put("/bin/sh") { _ in
        ChildProcess.Outcome(output: Array("line\n2 tests failed\n".utf8), status: 3)
      }
      let words = ["ask", "-w", "demo", "--wait", "--verify", "make test", "hello"]
      await world.oppi(words, exits: 1, saying: "\n  | line\n  | 2 tests failed\n")
    }
  }

  @Test("the command is not run after a turn without success")
  func unsuccessful() {
    inWorld { world, server in
      world.programs.put("/bin/sh", printing: "")
      await world.oppi(Self.ask + ["--verify", "true", "fail"], exits: 1)
      #expect(world.programs.runs.isEmpty)
    }
  }

  @Test(
    "a message to the agent that cannot be sent does not change what the turn was",
    arguments: ["anthropic/claude-opus-4-6", "lmstudio/glm-4.7-flash"]
  )
  func lostFollowUp(model: String) {
    inWorld { world, server in
      world.programs.put("/bin/sh") { _ in
        await world.lose(server)
        return ChildProcess.Outcome(status: 3)
      }
      let add = [
        "shortcuts", "add", "s", "-w", "demo", "-m", model, "--wait", "--session", "same",
      ]
      let checks = ["--verify", "make test", "--verify-retries", "2"]
      _ = await world.oppi(add + checks + ["hello"])
      let outcome = await world.oppi("run", "--json", "s")
      #expect(outcome.status == 1 && outcome.error["reason"] == "not-verified", "\(outcome)")
      #expect(outcome.errors.contains("could not continue the session"), "\(outcome)")
      #expect(server.heard == ["hello"] && server.sessionsMade == 1)
      let asks = await world.oppi("history", "--json").json["asks"].array ?? []
      #expect(asks.map(\.["state"]) == ["failed"], "\(asks)")
    }
  }

  @Test("the history has one entry for a prompt with retries, with the cost of all its turns")
  func history() {
    inSchemaWorld(#"{"type":"string"}"#) { world, server in
      let outcome = await world.oppi("run", "--json", "s")
      let history = await world.oppi("history", "--json")
      let asks = history.json["asks"].array ?? []
      #expect(asks.count == 1 && asks.first?["prompt"] == "hello", "\(history)")
      #expect(asks.first?["state"] == "failed", "\(history)")
      let cost = asks.first?["cost"].double ?? 0
      #expect(cost > 0.014 && cost == outcome.json["cost"].double, "\(history)")
    }
  }

  @Test("the cost of a prompt with two retries is that of all three turns")
  func costOfAll() {
    inWorld { world, server in
      world.programs.put("/bin/sh") { _ in ChildProcess.Outcome(status: 3) }
      let words = ["--verify", "make test", "--verify-retries", "2", "hello"]
      let outcome = await world.oppi(Self.ask + words, exits: 1)
      try #require(server.heard.count == 3)
      let sessions = await world.oppi("sessions", "--json").json["sessions"].array ?? []
      let total = try #require(sessions.first?["cost"].double)
      let cost = try #require(outcome.json["cost"].double)
      #expect(abs(cost - total) < 0.000_01, "\(outcome) \(total)")
    }
  }

  @Test("an answer cannot choose the state of a rejection")
  func wordsOfALimit() {
    let schema = #"{"type":"object","properties":{"version":{"const":"quota exceeded"}}}"#
    inSchemaWorld(schema, prompt: "version as JSON") { world, server in
      let outcome = await world.oppi("run", "--json", "s")
      #expect(outcome.json["state"] == "failed" && outcome.json["resetAt"] == .null, "\(outcome)")
    }
  }

  @Test("--timeout during the command is status 124")
  func timeUp() {
    inWorld { world, server in
      world.programs.put("/bin/sh") { [loop = world.loop] _ in
        try? await loop.sleep(for: .seconds(7200))
        return ChildProcess.Outcome(status: 0)
      }
      let words = ["--timeout", "10m", "--verify", "sleep 7200", "hello"]
      await world.oppi(Self.ask + words, exits: 124) { $0.elapsed < .seconds(610) }
    }
  }

  @Test("a command that does not end leaves the turn unverified")
  func endless() {
    inWorld { world, server in
      world.programs.put("/bin/sh") { [loop = world.loop] _ in
        try? await loop.sleep(for: .seconds(7200))
        return ChildProcess.Outcome(status: 0)
      }
      let words = ["--verify", "sleep 7200", "--verify-retries", "3", "hello"]
      let outcome = await world.oppi(Self.ask + words)
      #expect(outcome.status == 1 && outcome.error["reason"] == "not-verified", "\(outcome)")
      #expect(outcome.elapsed > .seconds(1800) && outcome.elapsed < .seconds(1900), "\(outcome)")
      #expect(server.heard == ["hello"])
    }
  }

  @Test("checks need a command that waits")
  func contradictions() {
    inWorld { world, server in
      for words in [["--verify", "true"], ["--schema", "x"]] {
        let outcome = await world.oppi(["ask", "-w", "demo"] + words + ["hello"])
        #expect(outcome.status == 64 && outcome.errors.contains("requires --wait"), "\(outcome)")
      }
      let retries = ["ask", "-w", "demo", "--wait", "--verify-retries", "1", "hello"]
      await world.oppi(retries, saying: "--verify-retries requires --verify")
    }
  }

  @Test("a shortcut keeps its checks")
  func shortcut() {
    inWorld { world, server in
      let add = ["shortcuts", "add", "s", "-w", "demo", "--wait", "--verify", "true"]
      await world.oppi(add + ["--verify-retries", "2", "hello"], exits: 0)
      let shown = await world.oppi("shortcuts", "show", "--json", "s")
      #expect(shown.json["verify"] == "true" && shown.json["verify-retries"] == 2, "\(shown)")
    }
  }
}
