// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import Simulation
import Testing

@testable import OppiTestSupport

/// A question for trust in a project, which the server allows without an answer, as users see it.
@Suite struct ProjectTrustSurfaceTests {
  private static let note = "the server allows it if it is cancelled or not answered"

  /// The words of the time left on a surface that shows the request; empty if it has none at first,
  /// and `nil` for a surface that does not show all of it.
  private static func timeLeft(on surface: ShowingSurface) -> String? {
    switch surface {
    case .approvals, .approvalsWatch, .chat, .accessibleChat: ""
    case .approvalsOnTerminal, .approvalsShow: "left"
    case .follow: "until 20"
    case .notification: "auto-allowed at"
    case .approvalsInJSON, .status, .statusInJSON, .statusOfSnapshot, .waybar, .argos, .sessions,
      .sessionsInJSON, .conversation, .console, .menu:
      nil
    }
  }

  /// Checks what a surface shows of a dialog that expires in 100 seconds.
  private func showing(
    _ kind: String,
    _ title: String,
    on surface: ShowingSurface,
    check: @escaping @Sendable (String) throws -> Void
  ) {
    inWorld {
      $0.dialogTimeout = .seconds(100)
    } _: { world, _ in
      let (session, id) = try await world.waiting(asking: "ask \(kind)")
      var person = DecidingPerson(in: world, .dialog, session: session, id: id)
      person.text = title
      try check(try await surface.show(person))
    }
  }

  @Test(
    "a surface that shows the question says that the server allows it, and when",
    arguments: ShowingSurface.allCases
  )
  func surfaces(surface: ShowingSurface) {
    showing("trust", "Trust project folder?", on: surface) { text in
      if surface == .approvalsInJSON {
        let row = try JSONValue(parsing: Array(text.utf8))["approvals"].array?.first ?? .null
        #expect(row["allowedUnanswered"] == true && row["needs"] == "answer", "\(text)")
        #expect(row["reason"].string == Self.note && row["secondsLeft"].int != nil, "\(text)")
      }
      guard let timeLeft = Self.timeLeft(on: surface) else { return }
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains(Self.note), "\(text)")
      #expect(timeLeft.isEmpty || words.contains(timeLeft), "\(text)")
    }
  }

  @Test("another question is not said to be allowed", arguments: ShowingSurface.allCases)
  func others(surface: ShowingSurface) {
    showing("select", "Pick one", on: surface) { text in
      #expect(!text.contains("allow"), "\(text)")
    }
  }

  @Test("the card has the time left, and the wait for an answer ends with the note")
  func endings() {
    inWorld {
      $0.dialogTimeout = .seconds(100)
    } _: { world, _ in
      let words = ["ask", "-q", "-w", "demo", "--wait"]
      let stopped = await world.oppi(words + ["--on-ask", "fail", "ask trust"], exits: 3)
      #expect(stopped.errors.contains("; \(Self.note)"), "\(stopped)")
      let terminal = world.start(["ask", "-w", "demo", "--follow", "ask trust"], columns: 100)
      try await terminal.see(Self.note)
      #expect(terminal.lines.contains { $0.contains("auto-allowed in ") }, "\(terminal.lines)")
      terminal.type(ChatTerminal.interrupt)
      _ = try await terminal.end()
    }
  }

  @Test("no command cancels the question: a denial is its refusal, and --cancel sends nothing")
  func denial() {
    inWorld { world, server in
      let ids = try await [world.request(asking: "ask trust"), world.request(asking: "ask trust")]
      let cancelled = await world.oppi("answer", "--cancel", "--", ids[0], exits: 65)
      #expect(cancelled.errors.contains("the server would allow it"), "\(cancelled)")
      #expect(cancelled.errors.contains("oppi deny"), "\(cancelled)")
      #expect(server.commands.isEmpty)
      for words in [["approvals", "show"], ["approve"]] {
        let hinted = await world.oppi(words + ["--", ids[0]])
        #expect(hinted.errors.contains("deny with: oppi deny \(ids[0])"), "\(hinted)")
      }
      #expect(server.commands.isEmpty)
      for id in await world.requestIDs() {
        await world.oppi("deny", "--", id, exits: 0)
      }
      let refusal: JSONValue = "Don't trust (remember)"
      #expect(server.commands.map(\.["value"]) == [refusal, refusal])
    }
  }

  @Test(
    "an opened question has the note, the time left, and what cancelling does",
    arguments: ["chat", "console"]
  )
  func panel(command: String) {
    inWorld {
      $0.dialogTimeout = .seconds(100)
    } _: { world, _ in
      let session = try await world.session(asking: "ask trust")
      let place = command == "chat" ? ["-s", session] : []
      let terminal = world.start([command] + place, columns: 100, rows: 40)
      try await terminal.see("Trust project folder?")
      if command == "console" {
        terminal.type("j")
        try await world.pass(.seconds(1))
        terminal.type("\r")
      }
      try await terminal.see("auto-allowed in ")
      let text = terminal.lines.joined(separator: "\n")
      #expect(text.contains(Self.note), "\(text)")
      #expect(text.contains("cancel the request, which allows it"), "\(text)")
      terminal.close()
      _ = try await terminal.end()
    }
  }

  @Test("a listener hears the note, and the time left when the question is repeated")
  func accessible() {
    inWorld {
      $0.dialogTimeout = .seconds(100)
    } _: { world, _ in
      let session = try await world.session(asking: "ask trust")
      let terminal = world.start(["chat", "--accessible", "-s", session], columns: 100, rows: 60)
      try await terminal.see("warning: \(Self.note)")
      try await world.pass(.seconds(2))
      terminal.type("?\r")
      try await terminal.see("allowed without an answer in ")
      terminal.close()
      _ = try await terminal.end()
    }
  }

  @Test("a menu has the note before the choices, also if the question is too long for it")
  func menu() {
    inWorld { world, _ in
      _ = try await world.request(asking: "ask trust")
      let user = MenuUser(in: world, "! ", nil)
      _ = await world.pick("approvals")
      let menu = try #require(user.seen.last)
      #expect(menu.contains { $0.contains("the server allows it") }, "\(menu)")
      #expect(menu.count { $0.contains("Don't trust (remember)") } == 2, "\(menu)")
    }
    inTroubledWorld { world, _, trouble in
      _ = try await world.request(asking: "ask trust")
      let dialog: JSONValue = [
        "id": "long0000", "method": "select", "title": "Trust\n/srv\n\nall\nthat\nis there",
        "options": ["Trust (remember)", "Trust this session", "Don't trust (remember)"],
      ]
      trouble.dialogs(dialog)
      let user = MenuUser(in: world, "! ", nil)
      _ = await world.pick("approvals")
      let menu = try #require(user.seen.last)
      #expect(menu.contains { $0.contains("the server allows it") }, "\(menu)")
      #expect(menu.contains("| (truncated)"), "\(menu)")
    }
  }

  @Test("a question that ran out was allowed, in the console")
  func ended() {
    inWorld {
      $0.dialogTimeout = .seconds(30)
    } _: { world, _ in
      _ = try await world.request(asking: "ask trust")
      let terminal = world.start(["console"], columns: 120, rows: 40)
      try await terminal.see("Trust project folder?")
      try await terminal.see("expired, allowed by the server")
      terminal.close()
      _ = try await terminal.end()
    }
  }
}

/// The start of a session whose server asks for trust first.
@Suite struct TrustAtStartTests {
  private static let slow = "studio may be asking whether to trust the project"
  private static let named = "studio asks whether to trust the project; the server allows it"

  @Test("an ask says what it waits for, and delivers the prompt when the time is over")
  func unanswered() {
    inWorld(where: \.asksForTrust, is: true) { world, server in
      let asked = await world.oppi("ask", "-w", "demo", "hello", exits: 0)
      #expect(asked.errors.contains(Self.slow), "\(asked)")
      #expect(asked.errors.contains("oppi approvals"), "\(asked)")
      #expect(asked.errors.ranges(of: "trust").count == 1, "\(asked)")
      #expect(asked.elapsed > .seconds(14) && asked.elapsed < .seconds(20), "\(asked)")
      #expect(server.heard == ["hello"] && server.sessionsMade == 1)
      let quiet = await world.oppi("ask", "-q", "-w", "demo", "again", exits: 0)
      #expect(!quiet.errors.contains("trust"), "\(quiet)")
    }
  }

  @Test("an ask that waits for its turn names the question, which can be answered meanwhile")
  func named() {
    inWorld(where: \.asksForTrust, is: true) { world, server in
      let asking = world.begin("ask", "-w", "demo", "--wait", "hello")
      try await world.pass(.seconds(5))
      let id = try #require(await world.requestIDs().first)
      await world.oppi("answer", "--", id, "Trust (remember)", exits: 0)
      let asked = await asking.value
      #expect(asked.status == 0 && server.heard == ["hello"], "\(asked)")
      #expect(asked.errors.contains(Self.named), "\(asked)")
      #expect(asked.errors.contains("oppi answer \(id)"), "\(asked)")
      #expect(!asked.errors.contains(Self.slow), "\(asked)")
      // It is decided now.
      let next = await world.oppi("ask", "-w", "demo", "--wait", "next", exits: 0)
      #expect(!next.errors.contains("trust") && next.elapsed < .seconds(3), "\(next)")
    }
  }

  @Test("an ask is told at once that an earlier request is still launching the session")
  func inProgress() {
    inTroubledWorld { world, _, trouble in
      let busy = Intervention.answer(status: 409, error: "launch_in_progress")
      trouble.begin {
        $0.isRequest("/workspaces/qX3dEmo0/sessions") ? busy : .proceed
      }
      let asked = await world.oppi("ask", "-w", "demo", "hello")
      #expect(asked.errors.ranges(of: Self.slow).count == 1, "\(asked)")
    }
  }

  @Test("a quick start, and an ask for an existing session, have no such sentence")
  func silent() {
    inWorld { world, _ in
      let new = await world.oppi("ask", "-w", "demo", "hello", exits: 0)
      let old = await world.oppi("ask", "-s", "last", "slow", exits: 0)
      #expect(!new.errors.contains("trust") && !old.errors.contains("trust"))
    }
  }
}
