// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi show`, compared with `oppi ask --wait` and `oppi follow`.
@Suite struct ShowTests {
  @Test(
    "ask --wait, follow and show report the same turn",
    arguments: Dialect.all,
    ["hello", "fail", "empty", "two tools", "retry", "retry fails", "big", "todo", "child"]
  )
  func agrees(dialect: Dialect, prompt: String) {
    inWorld(dialect) { world, server in
      let asked = await world.oppi("ask", "-w", "demo", "--wait", "--json", prompt)
      let id = try #require(asked.json["sessionId"].string)
      let followed = await world.oppi("follow", "--json", "--", id)
      let streams = server.streams
      let shown = await world.oppi("show", "--json", "last")
      #expect(asked.status == followed.status && followed.status == shown.status, "\(shown)")
      let turns = try #require(shown.json["turns"].array)
      try #require(turns.count == 1, "\(shown)")
      // Per-session servers do not record that the retries have failed.
      if dialect != .perSession || prompt != "retry fails" {
        #expect(shown.json["state"] == asked.json["state"], "\(shown)")
      }
      #expect(shown.json["state"] == followed.jsonLines.last?["outcome"], "\(shown)")
      #expect(turns[0]["answer"] == asked.json["response"], "\(shown)")
      #expect(turns[0]["prompt"].string == prompt, "\(shown)")
      #expect(shown.json["sessionId"].string == id)
      let piped = await world.oppi("show", "last")
      let answer = asked.json["response"].string.map { "\($0)\n" }
      #expect(piped.output == answer ?? "", "\(piped)")
      #expect(piped.status == asked.status)
      #expect(server.streams == streams)
    }
  }

  @Test("on a terminal, a turn has a bar and rows for its calls, for a listener labelled lines")
  func terminal() {
    inWorld { world, _ in
      await world.oppi("ask", "--wait", "-w", "demo", "hello", exits: 0)
      let shown = world.start(["show"])
      try await shown.end(exits: 0)
      #expect(shown.lines.contains { $0.hasPrefix("▌ hello  ") }, "\(shown.lines)")
      #expect(shown.lines.contains { $0.hasPrefix("✓ #1 bash  echo hi  ") }, "\(shown.lines)")
      let spoken = world.start(["show", "--accessible"])
      try await spoken.end(exits: 0)
      #expect(spoken.lines.contains("You: hello"), "\(spoken.lines)")
      #expect(spoken.lines.contains("Tool: done: bash: echo hi, call 1"), "\(spoken.lines)")
    }
  }

  @Test("for a listener, the table of an answer becomes labelled records")
  func spokenTable() {
    inWorld { world, _ in
      await world.oppi("ask", "--wait", "-w", "demo", "markdown", exits: 0)
      let spoken = world.start(["show", "--accessible"])
      try await spoken.end(exits: 0)
      let lines = spoken.lines.drop { $0 != "Agent: Platform: Linux" }
      #expect(lines.prefix(2) == ["Agent: Platform: Linux", "Agent: State: done"])
      #expect(lines.dropFirst(3).prefix(2) == ["", "Agent: Platform: 日本語"], "\(lines)")
    }
  }

  @Test(
    "an unreadable record of a session is an invalid answer, not a missing session",
    arguments: ["show", "follow", "ask -s", "stop"]
  )
  func unreadable(command: String) {
    let trouble = Trouble()
    inWorld(where: \.interceptor, is: trouble.interceptor) { world, _ in
      let id = try await world.session(asking: "hello")
      trouble.begin { step in
        step.isRequest("/sessions/\(id)") ? .answer(json: ["session": ["id": 5]]) : .proceed
      }
      let words = command.split(separator: " ").map(String.init)
      let prompt = command == "ask -s" ? ["again"] : []
      let outcome = await world.oppi(["--json"] + words + [id] + prompt, exits: 76)
      #expect(outcome.error["code"] == "protocol-broken", "\(outcome)")
    }
  }

  @Test(
    "show reports a refused prompt and a stopped turn as follow does",
    arguments: Dialect.all
  )
  func refusedAndStopped(dialect: Dialect) {
    inWorld(dialect) { world, _ in
      let refused = try await world.session(asking: "hello")
      _ = await world.oppi("ask", "--session=\(refused)", "refuse")
      let stopped = try await world.session(asking: "slow")
      _ = await world.oppi("stop", "--", stopped)
      for id in [refused, stopped] {
        let followed = await world.oppi("follow", "--json", "--", id)
        let shown = await world.oppi("show", "--json", "--", id)
        #expect(shown.status == followed.status, "\(shown)")
        #expect(shown.json["state"] == followed.jsonLines.last?["outcome"], "\(shown)")
        // Servers that keep nothing of a refused prompt show the turn before it.
        let isKept = id == stopped || !dialect.stream.recognizesRepeats
        let piped = await world.oppi("show", "--", id)
        #expect(piped.output.isEmpty == isKept, "\(piped)")
        #expect(!isKept || piped.errorLines.count >= 1, "\(piped)")
      }
      #expect(await world.oppi("show", "--", stopped).status == 4)
    }
  }

  @Test("show reports a running turn, and how to follow it", arguments: Dialect.both)
  func running(dialect: Dialect) {
    inWorld(dialect) { world, _ in
      let id = try await world.session(asking: "slow")
      let shown = await world.oppi("show", "--json", "--", id, exits: 75)
      #expect(shown.json["state"] == "running", "\(shown)")
      let calls = shown.json["turns"].array?.last?["calls"].array ?? []
      #expect(calls.map(\.["state"]) == ["running"], "\(shown)")
      let piped = await world.oppi("show", "--", id)
      #expect(piped.output.isEmpty && piped.errors.contains("oppi follow "), "\(piped)")
    }
  }

  @Test(
    "--markdown prints a document of the last turn, the last turns or all",
    arguments: Dialect.all
  )
  func markdown(dialect: Dialect) {
    inWorld(dialect) { world, _ in
      let id = try await world.session(asking: "run it")
      _ = await world.oppi("ask", "--wait", "--session=\(id)", "fail")
      let last = await world.oppi("show", "--markdown", "--", id, exits: 1)
      #expect(last.lines.first?.hasPrefix("# ") == true, "\(last)")
      #expect(last.lines.contains("- **Workspace:** demo"), "\(last)")
      // Per-session servers do not record why a turn failed.
      let state = dialect == .perSession ? "no answer" : "failed"
      #expect(last.lines.filter { $0.hasPrefix("## ") } == ["## Turn 2 (\(state))"], "\(last)")
      let reason = "\n**Failed**\n\n```\n529 overloaded_error"
      #expect(last.output.contains(reason) == (dialect != .perSession), "\(last)")
      for words in [["--all"], ["--turns", "2"]] {
        let more = await world.oppi(["show", "--markdown"] + words + ["--", id])
        #expect(more.lines.count { $0.hasPrefix("## ") } == 2, "\(more)")
        #expect(more.output.contains("<code>bash: echo hi</code> (done"), "\(more)")
      }
      let json = await world.oppi("show", "--markdown", "--json", "--", id)
      #expect(json.json["markdown"].string.map { "\($0)\n" } == last.output, "\(json)")
      await world.oppi("show", "--markdown", "--call", "1", "--", id, exits: 64)
    }
  }
}
