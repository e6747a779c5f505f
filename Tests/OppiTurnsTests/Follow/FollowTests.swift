// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

@Suite struct FollowTests {
  @Test(
    "a running turn is printed line by line until its end, with the turn's status",
    arguments: Dialect.all
  )
  func running(dialect: Dialect) {
    inWorld(dialect, where: \.pace, is: .seconds(2)) { world, server in
      let id = try await world.session(asking: "hello")
      let json = world.begin("follow", "--json")
      let outcome = await world.oppi("follow", "--", id, exits: 0)
      #expect(outcome.lines.last == "turn finished", "\(outcome)")
      #expect(outcome.output.contains("The command printed: hi"), "\(outcome)")
      let lines = await json.value.jsonLines
      #expect(lines.allSatisfy { $0["at"].string != nil && $0["sessionId"].string == id })
      #expect(lines.count { $0["type"] == "turn-finished" } == 1, "\(lines)")
      #expect(lines.last?["type"] == "turn-finished", "\(lines)")
      #expect(server.heard == ["hello"])
    }
  }

  @Test(
    "a turn that was stopped, also by the end of its session, is status 4 for a follower",
    arguments: [[], ["--forever"]]
  )
  func stopped(option: [String]) {
    inWorld { world, server in
      let id = try await world.session(asking: "silent")
      let watching = world.begin(["follow"] + option + ["--", id])
      try await world.pass()
      await world.oppi(["stop"] + (option.isEmpty ? [] : ["--session"]) + ["--", id])
      let outcome = await watching.value
      #expect(outcome.status == 4, "\(outcome)")
      #expect(outcome.errors.contains("the turn was stopped"), "\(outcome)")
    }
  }

  @Test("--forever follows all turns over a restart of the server, until the session ends")
  func forever() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      let watching = world.begin("follow", "--forever", "--json", "--", id)
      try await world.pass()
      #expect(await world.oppi("ask", "-s", id, "two tools").status == 0)
      try await world.pass()
      await server.end(.killed)
      try await world.pass(.seconds(1200))
      try server.start()
      try await world.pass(.seconds(120))
      #expect(await world.oppi("ask", "-s", id, "todo").status == 0)
      try await world.pass()
      await world.oppi("stop", "--session", "--", id, exits: 0)
      let outcome = await watching.value
      let answers = outcome.jsonLines.filter { $0["type"] == "turn-finished" }
        .compactMap { $0["answer"].string }
      #expect(
        answers.suffix(2) == ["Both are done.", "Everything on the list is done."],
        "\(outcome)"
      )
      #expect(outcome.status == 0, "\(outcome)")
    }
  }

  @Test("follow fails if the server is unreachable for two minutes")
  func givesUp() {
    inWorld { world, server in
      let id = try await world.session(asking: "silent")
      let watching = world.begin("follow", "--", id)
      try await world.pass()
      await server.end(.killed)
      let outcome = await watching.value
      #expect(outcome.status == 69, "\(outcome)")
      #expect(outcome.elapsed >= .seconds(120) && outcome.elapsed < .seconds(180), "\(outcome)")
      #expect(outcome.errors.contains("connection lost"), "\(outcome)")
      #expect(
        outcome.errors.contains("hint: when the server is available again: oppi follow \(id)"),
        "\(outcome)"
      )
    }
  }

  @Test("an elapsed --timeout is status 124, with the pending approval")
  func timeLimit() {
    inWorld { world, server in
      _ = try await world.session(asking: "deploy")
      let outcome = await world.oppi("follow", "--timeout", "1m", exits: 124)
      #expect(outcome.errors.contains("git push origin main"), "\(outcome)")
      #expect(outcome.elapsed < .seconds(61), "\(outcome)")
    }
  }

  @Test("on a terminal, finished parts stay, and the rest is redrawn below them")
  func card() {
    inWorld(where: \.pace, is: .seconds(2)) { world, server in
      _ = try await world.session(asking: "hello")
      let terminal = world.start(["follow", "last"])
      try await terminal.see("echo hi")
      terminal.resize(columns: 40, rows: 12)
      try await terminal.end(exits: 0)
      let end = terminal.lines.suffix(7).map { $0.replacing(#/ +[0-9]+ m?s/#, with: "  N s") }
      #expect(
        end
          == [
            "Let me run a quick command.", "", "✓ bash  echo hi           1 line  N s", "",
            "The command printed: hi", "", "✓ Finished  N s",
          ],
        "\(terminal.lines)"
      )
      #expect(!terminal.lines.contains { $0.contains("Activity") }, "\(terminal.lines)")
      #expect(terminal.isRestored, "\(terminal.lines)")
      let past = world.start(["follow", "last"])
      #expect(try await past.end().status == 0, "\(past.lines)")
      #expect(past.lines.last == "The command printed: hi", "\(past.lines)")
      #expect(past.isRestored, "\(past.lines)")
    }
  }

  @Test("a dumb terminal gets lines instead of a card")
  func dumb() {
    inWorld(where: \.pace, is: .seconds(1)) { world, server in
      _ = try await world.session(asking: "hello")
      let terminal = world.start(["follow", "last"], environment: ["TERM": "dumb"])
      let outcome = try await terminal.end(exits: 0)
      #expect(!outcome.output.contains("\u{1B}"), "\(outcome)")
      #expect(terminal.lines.last == "turn finished", "\(terminal.lines)")
    }
  }
}
