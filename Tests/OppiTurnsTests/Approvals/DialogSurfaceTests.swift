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

  @Test("a menu only opens a dialog that looks dangerous, or refuses it, at once")
  func risky() {
    inWorld { world, server in
      let session = try await world.session(asking: "gate")
      let person = MenuUser(in: world, pausing: .milliseconds(100), "! deletes data", "No")
      let outcome = await world.pick("approvals")
      #expect(person.seen.last?.first == "Open in a terminal to approve it", "\(person.seen)")
      #expect(person.seen.last?.contains { $0.hasPrefix("Answer") } == false)
      #expect(outcome.status == 0 && outcome.output.contains("denied"), "\(outcome)")
      #expect(person.seen.count == 2 && server.commands.map(\.["value"]) == ["No"])
      #expect(try await DialogsTests.answer(world, session) == "Not cleared: Blocked by user\n")
    }
  }

  // MARK: - Commands that do not wait

  @Test("--on-ask deny refuses each of several dialogs once, with the server's own No")
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
}
