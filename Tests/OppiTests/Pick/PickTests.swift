// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Synchronization
import TestSupport
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// `oppi pick`, with a simulated rofi.
@Suite struct PickTests {
  @Test("the typed prompt is sent to the workspace, which is the first row the next time")
  func asks() {
    inWorld { world, server in
      let person = MenuUser(in: world, "ask studio/webapp", "fix it")
      let desktop = VirtualDesktop(on: world.loop)
      let outcome = await world.pick(notifying: desktop)
      #expect(outcome.status == 0 && server.heard == ["fix it"], "\(outcome)")
      #expect(desktop.history.map(\.summary) == ["Pi is working on it in webapp"])
      #expect(person.seen.first?.count == 2 && person.seen.last == [], "\(person.seen)")
      let again = MenuUser(in: world, nil)
      _ = await world.pick("workspaces")
      #expect(again.seen.first?.first?.hasPrefix("ask studio/webapp") == true, "\(again.seen)")
    }
  }

  @Test("leaving a menu is status 130, without output or a session")
  func left() {
    inWorld { world, server in
      for words in [[nil], ["ask studio/demo", nil], ["ask studio/demo", "  "]] as [[String?]] {
        let second = words.count == 1 ? nil : words[1]
        _ = MenuUser(in: world, words[0], second)
        let desktop = VirtualDesktop(on: world.loop)
        let outcome = await world.pick(notifying: desktop)
        #expect(outcome.status == 130, "\(outcome)")
        #expect(outcome.errors.isEmpty && outcome.output.isEmpty && desktop.history.isEmpty)
      }
      #expect(server.sessionsMade == 0)
    }
  }

  @Test("a text that is not a row is rejected, and --print only prints")
  func prints() {
    inWorld { world, server in
      _ = MenuUser(in: world, "nothing of that")
      let other = await world.pick()
      #expect(other.status == 65, "\(other)")
      _ = MenuUser(in: world, "ask", "run")
      let workspace = await world.pick("workspaces", "--print")
      #expect(workspace.output.hasPrefix("sha256:") && workspace.output.contains("|"))
      _ = await world.oppi("shortcuts", "add", "standup", "-w", "demo", "what is new")
      let json = await world.pick("shortcuts", "--print", "--json")
      #expect(json.json["kind"] == "shortcut" && json.json["name"] == "standup", "\(json)")
      #expect(server.sessionsMade == 0)
    }
  }

  @Test("a shortcut is run with the values that it needs")
  func runs() {
    inWorld { world, server in
      _ = await world.oppi("shortcuts", "add", "check", "-w", "demo", "check {{a}} and {{b}}")
      _ = MenuUser(in: world, "run check", "one=1", "two {{a}}")
      let outcome = await world.pick("shortcuts")
      #expect(outcome.status == 0 && server.heard == ["check one=1 and two {{a}}"], "\(outcome)")
    }
  }

  @Test("without a terminal a session is opened in a window")
  func opens() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      let person = MenuUser(in: world, "idle: hello")
      let outcome = await world.pick("sessions")
      #expect(outcome.status == 0, "\(outcome) \(person.seen)")
      let words = world.programs.detached.first?.suffix(2)
      #expect(words == ["chat", "--session=studio/\(id)"], "\(world.programs.detached)")
    }
  }

  @Test("a missing or failing menu program is an error with a hint")
  func fails() {
    inWorld { world, _ in
      let none = await world.pick()
      #expect(none.status == 78 && none.errors.contains("install rofi, bemenu or dmenu"), "\(none)")
      await world.oppi("pick", exits: 78, saying: "on a terminal")
      let missing = await world.pick("--picker", "tofi")
      #expect(missing.status == 78 && missing.errors.contains("'tofi'"), "\(missing)")
      world.programs.put("fzf", printing: "0")
      let unfit = await world.pick("--picker", "fzf")
      #expect(unfit.status == 78 && unfit.errors.contains("requires a terminal"), "\(unfit)")
      world.programs.put("rofi") { _ in
        ChildProcess.Outcome(output: [], errors: Array("cannot open display\n".utf8), status: 1)
      }
      let broken = await world.pick()
      #expect(broken.status == 78 && broken.errors.contains("cannot open display"), "\(broken)")
      // A program that fails after a second was still not left by the user.
      world.programs.put("rofi") { [loop = world.loop] _ in
        try? await loop.sleep(for: .seconds(1))
        let words = "Failed to grab keyboard after 1 s\n\ntheme: no font\n"
        return ChildProcess.Outcome(errors: Array(words.utf8), status: 1)
      }
      let grabbed = await world.pick()
      #expect(grabbed.status == 78 && grabbed.errors.contains("menu: Failed to grab"), "\(grabbed)")
    }
  }

  @Test("a prompt for an unreachable server is kept in the history, with a hint to send it again")
  func kept() {
    inWorld { world, server in
      _ = await world.oppi("workspaces")
      await server.end(.killed)
      _ = MenuUser(in: world, "ask studio/demo", "fix it")
      let outcome = await world.pick()
      #expect(outcome.status == 69 && outcome.errors.contains("oppi ask --again"), "\(outcome)")
      #expect(await world.oppi("history").output.contains("fix it"))
    }
  }

  @Test("a call that cannot be approved in a menu has a hint where it can be approved")
  func reads() {
    inWorld { world, server in
      _ = try await world.session(asking: "wipe")
      let person = MenuUser(in: world, "! ", "Open")
      world.programs.remove("xdg-terminal-exec")
      let outcome = await world.pick("approvals")
      #expect(person.seen.last?.first == "Open in a terminal to approve it")
      #expect(outcome.status == 78 && outcome.errors.contains("oppi approvals show "), "\(outcome)")
    }
  }

  @Test("the setting selects a menu program with its own arguments, or any other program")
  func settings() {
    inWorld { world, server in
      _ = await world.oppi("config", "set", "picker", "/opt/bin/rofi -theme 'my own'")
      world.programs.put("/opt/bin/rofi", printing: "1\n", "hi\n")
      _ = await world.pick()
      let arguments = world.programs.runs.map(\.arguments)
      #expect(arguments.first?.prefix(2) == ["/opt/bin/rofi", "-dmenu"])
      #expect(arguments.first?.suffix(2) == ["-theme", "my own"], "\(arguments)")
      #expect(arguments.first?.contains("-no-custom") == true && server.heard == ["hi"])
      world.programs.put("mine", printing: "ask studio/demo (Demo repository)\n", "ho\n")
      let other = await world.pick("--picker", "mine -x", "workspaces")
      #expect(world.programs.runs.last?.arguments == ["mine", "-x"], "\(other)")
    }
  }

  @Test("an unreachable server does not delay the menu of known workspaces")
  func away() {
    inWorld { world, server in
      _ = await world.oppi("workspaces")
      await server.end(.powerless)
      let person = MenuUser(in: world, pausing: .milliseconds(200), "ask studio/demo", nil)
      let outcome = await world.pick()
      #expect(outcome.status == 130 && person.seen.first?.count == 2, "\(outcome)")
      #expect(outcome.elapsed < .seconds(1), "\(outcome)")
    }
  }
}

@Suite struct RecentPicksTests {
  @Test("the last choice has rank 0, each once, and only 200 are kept")
  func ranks() {
    var picks = RecentPicks()
    #expect(picks.ranks.isEmpty)
    for number in 1...201 { picks.add("p\(number)") }
    #expect(picks.ranks.count == 200 && picks.ranks["p1"] == nil)
    #expect(picks.ranks["p201"] == 0 && picks.ranks["p2"] == 199)
    picks.add("p100")
    #expect(picks.ranks.count == 200)
    #expect(picks.ranks["p100"] == 0 && picks.ranks["p201"] == 1 && picks.ranks["p2"] == 199)
  }

  @Test("sessions that wait come first, then the latest; recent choices count on their own server")
  func sessions() throws {
    let (studio, attic) = (try PairedServer.sample(1), try PairedServer.sample(2))
    let old = SessionStatus.sample("old", .idle, lastActivity: .ago(60))
    let sessions = [old, .sample("new", .idle), .sample("asks", .waiting, lastActivity: .ago(90))]
    let choices = sessions.map { PickChoice.session(studio, $0) }
    func order(_ ranks: [String: Int]) -> [String] { choices.sorted(by: ranks).map(\.name) }
    #expect(order([:]) == ["asks", "new", "old"].map { studio.qualified($0) })
    for (server, first) in [(studio, "old"), (attic, "asks")] {
      let memory = try #require(PickChoice.session(server, old).memory)
      #expect(order([memory: 0]).first == studio.qualified(first), "\(server.name)")
    }
  }
}
