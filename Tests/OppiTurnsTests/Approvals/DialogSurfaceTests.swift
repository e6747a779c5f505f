// SPDX-License-Identifier: MIT

import OppiSystem
import OppiText
import Simulation
import Testing

@testable import OppiTestSupport

/// Dialogs in notifications, in menus, and of commands that must not wait for a human.
@Suite struct DialogSurfaceTests {
  // MARK: - Notifications

  @Test("a dialog has a notification with the server's own options, and a press answers it")
  func press() {
    inWorld { world, server in
      let watching = try await Watching(in: world)
      let session = try await world.session(asking: "ask select")
      let notification = try #require(watching.desktop.shown.first)
      #expect(notification.summary == "Waiting for an answer: studio/demo")
      #expect(notification.body.hasPrefix("Pick one\n"), "\(notification)")
      #expect(notification.urgency == .normal)
      #expect(notification.actions.map(\.label) == ["Red", "Green", "Cancel", "Open", "Open"])
      #expect(watching.desktop.press("Green", on: notification))
      #expect(try await DialogsTests.answer(world, session) == "You answered: Green\n")
      #expect(watching.count(of: "Answered: Green") == 1)
      // A second press, too late.
      #expect(watching.desktop.press("Red", on: notification))
      try await world.pass()
      #expect(watching.summaries.last == "No longer pending")
      #expect(server.commands.count == 1)
      _ = await watching.end()
    }
  }

  @Test("a confirm needs approval, with yes and no; a dangerous text can only be refused")
  func buttons() {
    inWorld { world, server in
      let watching = try await Watching(in: world)
      let session = try await world.session(asking: "ask confirm")
      let confirm = try #require(watching.desktop.shown.first)
      #expect(confirm.summary == "Waiting for approval: studio/demo")
      #expect(confirm.actions.map(\.label) == ["Yes", "No", "Open", "Open"], "\(confirm)")
      #expect(watching.desktop.press("No", on: confirm))
      #expect(try await DialogsTests.answer(world, session) == "You answered: no\n")
      let gated = try await world.session(asking: "gate")
      let gate = try #require(watching.desktop.shown.last { $0.tag.hasSuffix(gated) })
      #expect(gate.summary == "Waiting for approval: studio/demo" && gate.urgency == .critical)
      #expect(gate.actions.map(\.label) == ["No", "Open", "Open"], "\(gate)")
      #expect(gate.body.contains("\n  rm -rf ./build\nAllow?\n"), "\(gate)")
      #expect(!gate.body.contains("Truncated"), "\(gate)")
      #expect(watching.desktop.press("No", on: gate))
      #expect(try await DialogsTests.answer(world, gated) == "Not cleared: Blocked by user\n")
      _ = await watching.end()
    }
  }

  @Test("a notification is withdrawn if its dialog was answered elsewhere")
  func elsewhere() {
    inWorld { world, server in
      let watching = try await Watching(in: world)
      _ = try await world.session(asking: "ask select")
      #expect(watching.summaries == ["Waiting for an answer: studio/demo"])
      let id = try #require(await world.requestIDs().first)
      #expect(await world.oppi("answer", "--", id, "Red").status == 0)
      try await world.pass(.seconds(20))
      #expect(!watching.summaries.contains("Waiting for an answer: studio/demo"))
      #expect(watching.count(of: "Waiting for an answer: studio/demo") == 1)
      _ = await watching.end()
    }
  }

  @Test("status and sessions tell approvals and questions apart")
  func status() {
    inWorld { world, server in
      let session = try await world.session(asking: "ask select")
      let question = await world.oppi("status", "--json")
      #expect(question.json["status"] == "awaitingAnswer", "\(question)")
      #expect(question.json["pendingQuestions"] == 1 && question.json["pendingApprovals"] == 0)
      #expect(question.json["question"] == "Pick one", "\(question)")
      let sessions = await world.oppi("sessions", "--json", "--state", "waiting")
      let row = sessions.json["sessions"].array?.first ?? .null
      #expect(row["id"].string == session && row["question"] == "Pick one", "\(sessions)")
      _ = try await world.session(asking: "ask confirm")
      let both = await world.oppi("status", "--json")
      #expect(both.json["status"] == "awaitingApproval", "\(both)")
      #expect(both.json["approval"]["kind"] == "confirm" && both.json["approval"]["risk"] == .null)
      #expect(both.json["pendingQuestions"] == 1 && both.json["pendingApprovals"] == 1)
    }
  }

  // MARK: - Menus

  @Test("a menu offers the server's own options, and an answer is confirmed in a second menu")
  func menu() {
    inWorld { world, server in
      let session = try await world.session(asking: "ask select")
      let person = MenuUser(in: world, "! waiting for an answer", "Answer: Green", "Yes, send")
      let outcome = await world.pick("approvals")
      #expect(outcome.status == 0, "\(outcome)")
      let menu = try #require(person.seen.dropFirst().first)
      #expect(menu.first == "Open in a terminal", "\(menu)")
      #expect(menu.suffix(3) == ["Cancel", "Answer: Red", "Answer: Green"], "\(menu)")
      #expect(menu.contains("|   Pick one"), "\(menu)")
      let confirmation = person.seen.last ?? []
      #expect(confirmation.first == "No, go back", "\(confirmation)")
      #expect(confirmation.last == "Yes, send 'Answer: Green'", "\(confirmation)")
      #expect(try await DialogsTests.answer(world, session) == "You answered: Green\n")
    }
  }

  @Test("a menu only refuses or opens a dialog that looks dangerous or is unreadable")
  func risky() {
    inWorld { world, server in
      let session = try await world.session(asking: "gate")
      let person = MenuUser(in: world, "! deletes data", "No")
      let outcome = await world.pick("approvals")
      #expect(person.seen.last?.first == "Open in a terminal to approve it", "\(person.seen)")
      #expect(person.seen.last?.contains { $0.hasPrefix("Answer") } == false)
      #expect(outcome.status == 0 && outcome.output.contains("denied"), "\(outcome)")
      #expect(try await DialogsTests.answer(world, session) == "Not cleared: Blocked by user\n")
    }
  }

  @Test("the server's own No is a denial in a menu too: at once, and without a confirmation")
  func hastyNo() {
    inWorld { world, server in
      _ = try await world.session(asking: "gate")
      let person = MenuUser(in: world, pausing: .milliseconds(100), "! ", "No")
      let outcome = await world.pick("approvals")
      #expect(outcome.status == 0 && person.seen.count == 2, "\(outcome)")
      #expect(server.commands.map(\.["value"]) == ["No"])
    }
  }

  // MARK: - Commands that do not wait

  @Test("--on-ask fail fails at a dialog, and --on-ask deny refuses it")
  func onAsk() {
    inWorld { world, server in
      let words = ["ask", "--wait", "-w", "demo", "--on-ask"]
      let failed = await world.oppi(words + ["fail", "gate"])
      #expect(failed.status == 3 && failed.errors.contains("rm -rf ./build"), "\(failed)")
      #expect(failed.errors.contains(" --yes, or with --no, or: oppi chat --session="), "\(failed)")
      #expect(server.commands.isEmpty)
      let denied = await world.oppi(words + ["deny", "gate"], exits: 0)
      #expect(denied.output == "Not cleared: Blocked by user\n", "\(denied)")
      #expect(!denied.errors.contains("answered elsewhere"), "\(denied)")
      #expect(server.commands.map(\.["value"]) == ["No"])
    }
  }

  @Test("--on-ask deny refuses each of several dialogs once")
  func onAskSeveral() {
    inWorld { world, server in
      let words = ["ask", "--wait", "-w", "demo", "--on-ask", "deny", "two gates"]
      let outcome = await world.oppi(words)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(server.commands.map(\.["value"]) == ["No", "No"])
      #expect(Set(server.commands.map(\.["id"].string)).count == 2)
    }
  }

  @Test("a follower reports a dialog that was settled elsewhere")
  func follow() {
    inWorld { world, server in
      let session = try await world.session(asking: "gate")
      let following = world.begin("follow", "--json", "--", session)
      try await world.pass()
      let id = try #require(await world.requestIDs().first)
      _ = await world.oppi("answer", "--", id, "Yes")
      let lines = await following.value.jsonLines
      #expect(lines.count { $0["type"] == "question" } == 1, "\(lines)")
      let settled = lines.filter { $0["type"] == "question-settled" }
      #expect(settled.map(\.["id"].string) == [id], "\(lines)")
    }
  }

  @Test(
    "a stop ends a turn that waits for a dialog",
    arguments: ["gate", "two gates", "ask input"]
  )
  func stops(prompt: String) {
    inWorld { world, server in
      let session = try await world.session(asking: prompt)
      await world.oppi("stop", "--", session, exits: 0)
      try await world.pass()
      #expect(await world.requestIDs().isEmpty)
      let idle = await world.oppi("stop", "--json", "--", session)
      #expect(idle.json["state"] == "idle", "\(idle)")
    }
  }
}
