// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Simulation
import Testing

@testable import Oppi

/// The state of a session has one word on every surface.
@Suite struct SessionStatesTests {
  @Test(
    "while a dialog waits for the user, nothing says running",
    arguments: ["gate", "ask select", "ask confirm", "ask input"]
  )
  func waiting(prompt: String) {
    inDialogWorld { world, server in
      let session = try await world.session(asking: prompt)
      let shown = await world.oppi("show", "--json", "--", session, exits: 3)
      #expect(shown.json["state"] == "waiting" && shown.json["phase"] == "waiting", "\(shown)")
      let calls = shown.json["turns"].array?.flatMap { $0["calls"].array ?? [] } ?? []
      #expect(!calls.contains { $0["state"] == "running" }, "\(calls)")
      let whole = await world.oppi("show", "--all", "--", session)
      #expect(whole.output.contains("(Waiting for an answer)"), "\(whole)")
      let list = await world.oppi("sessions", "--json").json["sessions"].array ?? []
      #expect(list.map(\.["phase"]) == ["waiting"], "\(list)")
      let status = await world.oppi("status")
      #expect(status.output.contains("Waiting for"), "\(status)")
      let preview = world.start(["show", "--", session])
      _ = try await preview.end()
      let chat = world.start(["chat", "-s", session])
      try await chat.see("Waiting for")
      let texts = preview.lines + chat.lines + whole.lines + status.lines
      #expect(!texts.contains { $0.lowercased().contains("running") }, "\(texts)")
      chat.type(ChatTerminal.interrupt)
    }
  }

  @Test(
    "a call that waits for approval and an open question are shown with exit status 3",
    arguments: Dialect.both
  )
  func approval(dialect: Dialect) {
    inWorld(dialect) { world, server in
      var counts: [Int] = []
      for prompt in ["deploy", "question"] {
        let session = try await world.session(asking: prompt)
        let count = server.requests.count
        let shown = await world.oppi("show", "--json", "--server", "studio", "--", session)
        counts.append(server.requests.count - count)
        #expect(shown.status == 3 && shown.json["phase"] == "waiting", "\(shown)")
        #expect(shown.json["state"] == "waiting", "\(shown)")
        let calls = shown.json["turns"].array?.last?["calls"].array ?? []
        #expect(calls.map(\.["state"]) == ["waiting"], "\(shown)")
      }
      #expect(counts.count == 2 && counts[0] == counts[1], "\(counts)")
    }
  }

  @Test("an older server's question is named by show with the commands that answer it")
  func question() {
    inWorld(.multiplexed) { world, server in
      let session = try await world.session(asking: "question")
      let shown = await world.oppi("show", "--", session, exits: 3)
      #expect(shown.errors.contains("question: Which tests should I run? (and 1 more)"), "\(shown)")
      #expect(shown.errors.contains("oppi answer \(session)"), "\(shown)")
      await world.oppi("answer", session, "1", exits: 0)
      try await world.pass()
      #expect(await world.oppi("show", "--", session).status == 0)
    }
  }

  @Test(
    "a session has the same word in lists, menus, completion and JSON",
    arguments: [
      ("silent", false, "running"), ("hello", false, "idle"), ("fail", false, "failed"),
      ("hello", true, "ended"), ("deploy", false, "waiting"),
    ]
  )
  func words(prompt: String, isEnded: Bool, word: String) {
    inWorld(.multiplexed) { world, server in
      let session = try await world.session(asking: prompt)
      if isEnded { _ = await world.oppi("stop", "--session", "--", session) }
      let list = await world.oppi("sessions", "--json").json["sessions"].array ?? []
      #expect(list.map(\.["phase"].string) == [word], "\(list)")
      let pipe = await world.oppi("sessions")
      #expect(pipe.lines.first?.contains("\t\(word)\t") == true, "\(pipe)")
      let filtered = await world.oppi("sessions", "--json", "--state", word)
      #expect(filtered.json["sessions"].array?.count == 1, "\(filtered)")
      let shown = await world.oppi("show", "--json", "--", session)
      #expect(shown.json["phase"].string == word, "\(shown)")
      let candidates = await world.oppi("__complete", "--", "show", "")
      #expect(candidates.output.contains("\(session)\t\(word)"), "\(candidates)")
      let person = MenuUser(in: world, nil)
      _ = await world.pick("sessions")
      #expect(person.seen.first?.first?.hasPrefix("\(word): ") == true, "\(person.seen)")
    }
  }

  @Test("the help has every state")
  func help() {
    inWorld { world, _ in
      let help = await world.oppi("help", "states")
      for phase in SessionPhase.allCases {
        #expect(help.output.contains("  \(phase.word) "), "\(help)")
      }
    }
  }
}
