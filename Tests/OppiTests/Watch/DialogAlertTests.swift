// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import Oppi
@testable import OppiTurns

/// Notifications of dialogs.
@Suite struct DialogAlertTests {
  private static func text(
    _ method: String,
    _ body: JSONObject,
    isPrivate: Bool = false,
    isExpiring: Bool = false
  ) -> AlertText {
    let question = UserQuestion(id: "q1", method: method, body: .object(body))
    var approval = PendingApproval(.question(question), clockOffset: .zero)
    approval.expiresAt = .noon
    let alert = Alert.sample(isExpiring ? .expiring(approval, of: 1) : .approval(approval, of: 1))
    return AlertText(alert, request: .question(question), isPrivate: isPrivate) { _ in "12:00:00" }
  }

  private static let select: JSONObject = [
    "title": "Make it?", "options": ["Yes", "No"], "extensionDisplayName": "Gate",
  ]

  @Test("a short select has its whole text and a button for each of its options")
  func select() {
    let text = Self.text("select", Self.select.adding(["options": ["Red", "Blue"]]))
    #expect(text.summary == "Waiting for an answer: studio/webapp")
    #expect(text.body.hasPrefix("Make it?\nasked by Gate, expires at 12:00:00"), "\(text)")
    #expect(text.actions.map(\.label) == ["Red", "Blue", "Cancel", "Open"])
    #expect(
      text.actions.map(\.reply)
        == [.answer(.value("Red")), .answer(.value("Blue")), .answer(.cancelled), nil]
    )
  }

  @Test("a select that asks for approval has its two options, and no other refusal")
  func consent() {
    let text = Self.text("select", Self.select)
    #expect(text.summary == "Waiting for approval: studio/webapp")
    #expect(text.body.hasPrefix("Make it?\nasked by Gate, expires at 12:00:00"), "\(text)")
    #expect(text.actions.map(\.label) == ["Yes", "No", "Open"])
    #expect(text.actions.map(\.reply) == [.answer(.value("Yes")), .answer(.value("No")), nil])
  }

  @Test("a confirm needs approval, and its buttons are yes and no")
  func confirm() {
    let text = Self.text("confirm", ["title": "Make it?", "message": "This changes files"])
    #expect(text.summary == "Waiting for approval: studio/webapp")
    #expect(text.body.hasPrefix("Make it? This changes files\n"), "\(text)")
    #expect(text.actions.map(\.label) == ["Yes", "No", "Open"])
    #expect(text.actions.map(\.reply) == [.answer(.confirmed(true)), .answer(.cancelled), nil])
  }

  @Test(
    "a dialog that cannot be read whole, or looks dangerous, can only be cancelled",
    arguments: [
      ["title": "a\nb\nc\nd", "options": ["Yes"]], ["title": "Run rm -rf /?", "options": ["Yes"]],
      ["title": "é", "options": ["Yes"]], ["title": "a\u{202E}", "options": ["Yes"]],
      ["title": "Make it?", "options": ["Yes\u{200B}"]], ["title": "Make it?"],
    ] as [JSONObject]
  )
  func unreadable(body: JSONObject) {
    #expect(Self.text("select", body).actions.map(\.label) == ["Cancel", "Open"])
  }

  @Test("a gate with a warning sign is shown on its own lines and in full, and can be refused")
  func gate() {
    func text(_ command: String) -> AlertText {
      let title = "⚠\u{FE0F} Dangerous command:\n\n  \(command)\n\nAllow?"
      return Self.text("select", ["title": .string(title), "options": ["Yes", "No"]])
    }
    let push = text("git push")
    #expect(push.body.hasPrefix("⚠\u{FE0F} Dangerous command:\n  git push\nAllow?\n"), "\(push)")
    #expect(push.body.contains("risk: sends data"), "\(push)")
    #expect(push.actions.map(\.label) == ["Yes", "No", "Open"])
    let risky = text("rm -rf ./build")
    #expect(risky.body.hasPrefix("⚠\u{FE0F} Dangerous command:\n  rm -rf ./build\nAllow?\n"))
    #expect(risky.body.contains("risk: deletes data"), "\(risky)")
    #expect(risky.actions.map(\.label) == ["No", "Open"])
    for text in [push, risky] {
      #expect(!text.body.contains("Truncated") && !text.body.contains(#"\"#), "\(text)")
    }
  }

  @Test("a truncated text names the command that shows it in full")
  func truncated() {
    let title = (1...30).map { "line \($0)" }.joined(separator: "\n")
    let text = Self.text("select", ["title": .string(title), "options": ["Yes", "No"]])
    #expect(text.body.hasPrefix("line 1\nline 2\nline 3\n"), "\(text)")
    #expect(text.body.contains("Truncated; full text: oppi approvals show q1"), "\(text)")
    #expect(text.actions.map(\.label) == ["No", "Open"])
    #expect(!text.body.contains("risk:"))
  }

  @Test("an input has no button for an answer", arguments: ["input", "editor", "ask", "draw"])
  func others(method: String) {
    let text = Self.text(method, ["title": "Name?", "options": ["Yes"]])
    #expect(text.actions.map(\.label) == ["Cancel", "Open"])
  }

  @Test("a private alert shows neither the text nor the options")
  func isPrivate() {
    let text = Self.text("select", Self.select, isPrivate: true)
    #expect(
      text.summary == "Waiting for approval" && text.body == "studio" && text.actions == [.open]
    )
  }

  @Test("a dialog that is about to expire is an approval or a question about to expire")
  func expiring() {
    let text = Self.text("select", Self.select, isExpiring: true)
    #expect(text.summary == "Approval about to expire: studio/webapp")
    let input = Self.text("input", Self.select, isExpiring: true)
    #expect(input.summary == "Question about to expire: studio/webapp")
  }

  @Test("one note names the servers without a gate, and servers with a gate have none")
  func note() {
    #expect(
      GateNote.text(of: [("attic", .dialogs), ("lab", .permissions), ("studio", .dialogs)])
        == "attic, studio: tools run without approval unless an extension asks"
    )
    #expect(GateNote.text(of: [("studio", .permissions), ("attic", nil)]) == nil)
  }
}
