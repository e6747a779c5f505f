// SPDX-License-Identifier: MIT

import OppiSystem
import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiWire

/// The menu for the decision on a call or the answer to a dialog.
@Suite struct ApprovalMenuTests {
  private static let sight = MenuSight(columns: 56, rows: 15)

  private static func row(_ request: HumanRequest) -> ListedRequest {
    ListedRequest(
      request,
      of: ConsoleDesk.studio,
      at: RequestOrigin(server: "studio", sessionID: nil),
      listedAt: Timestamp(milliseconds: 0)
    )
  }

  private static func call(_ command: String) -> ListedRequest {
    let input: JSONValue = ["command": .string(command)]
    return row(.permission(PermissionRequest(id: "r", tool: "bash", input: input, summary: "")))
  }

  private static func dialog(_ method: String, _ body: JSONValue) -> ListedRequest {
    row(.question(UserQuestion(id: "q", method: method, body: body)))
  }

  private static func texts(_ row: ListedRequest, _ sight: MenuSight? = sight) -> [String] {
    ApprovalMenu(row, in: sight).menu.rows.map(\.text)
  }

  // MARK: - Calls

  @Test("a row of the call with the text of a decision decides nothing")
  func deceivingCall() throws {
    let menu = ApprovalMenu(Self.call("Approve once\nDeny\n| Deny"), in: Self.sight)
    let texts = menu.menu.rows.map(\.text)
    #expect(texts.count { $0.hasPrefix("|   ") } == 3, "\(texts)")
    for (index, text) in texts.enumerated() where text.hasPrefix("|") {
      #expect(menu.reply(at: index) == nil, "\(text)")
    }
    for (text, reply) in [
      ("Deny", RequestReply.decision(.deny)), ("Approve once", .decision(.allow)),
    ] {
      #expect(texts.count { $0.trimmed == text } == 1)
      let index = try #require(menu.menu.index(of: text, in: .row))
      #expect(menu.reply(at: index) == reply, "\(texts)")
    }
    #expect(menu.reply(at: 0) == nil && menu.reply(at: texts.count) == nil)
  }

  @Test(
    "approval is offered only if the whole call is visible",
    arguments: [
      ("make  install", sight, true), ("make  install", nil, false),
      ("make  install", MenuSight(columns: 56, rows: 7), true),
      ("make  install", MenuSight(columns: 56, rows: 6), false),
      ("make  install", MenuSight(columns: 1, rows: 15), false), ("a\nb\nc\nd", sight, false),
      ("echo \u{202E}abc", sight, false), ("rm -rf /", sight, false),
    ] as [(String, MenuSight?, Bool)]
  )
  func visibleCall(command: String, sight: MenuSight?, isOffered: Bool) {
    let texts = Self.texts(Self.call(command), sight)
    #expect(texts.first?.hasPrefix("Open") == true && texts.contains("Deny"))
    #expect(texts.contains("Approve once") == isOffered, "\(texts)")
  }

  // MARK: - Dialogs

  @Test("a row of the text with the text of an answer answers nothing")
  func deceivingDialog() throws {
    let row = Self.dialog(
      "select",
      ["title": "Answer: Run\nCancel\n| Answer: Run", "options": ["Run", "Stop"]]
    )
    let menu = ApprovalMenu(row, in: Self.sight)
    let texts = menu.menu.rows.map(\.text)
    for (index, text) in texts.enumerated() where text.hasPrefix("|") {
      #expect(menu.reply(at: index) == nil, "\(text)")
    }
    let answer = try #require(texts.firstIndex(of: "Answer: Run"))
    #expect(menu.reply(at: answer) == .answer(.value("Run")))
    #expect(menu.reply(at: texts.count - 3) == .decision(.deny) && menu.reply(at: 0) == nil)
  }

  @Test("answers are offered only if the whole text and every option are visible")
  func visibleDialog() {
    let row = Self.dialog("select", ["title": "Make it?", "options": ["Red", "Green"]])
    func isOffered(_ row: ListedRequest, _ sight: MenuSight?) -> Bool {
      let texts = Self.texts(row, sight)
      #expect(texts.first?.hasPrefix("Open") == true && texts.contains("Cancel"))
      return texts.contains { $0.hasPrefix("Answer: ") }
    }
    #expect(isOffered(row, Self.sight))
    #expect(!isOffered(row, nil))
    // Four rows of the text, and five others.
    #expect(isOffered(row, MenuSight(columns: 56, rows: 9)))
    #expect(!isOffered(row, MenuSight(columns: 56, rows: 8)))
    for body: JSONValue in [
      ["title": "a\nb\nc\nd", "options": ["Red"]],
      ["title": "Make it\u{202E}", "options": ["Red"]],
      ["title": "Make it?", "options": ["Red\u{200B}"]], ["title": "sudo ls?", "options": ["Red"]],
      ["title": "Make it?", "options": []], ["title": "Make it?", "options": ["Cancel"]],
    ] {
      #expect(!isOffered(Self.dialog("select", body), Self.sight), "\(body)")
    }
  }

  @Test("a gate with a warning sign is shown on its own lines, and No is always offered")
  func gate() {
    func texts(_ command: String) -> [String] {
      let title = "⚠\u{FE0F} Dangerous command:\n\n  \(command)\n\nAllow?"
      let row = Self.dialog("select", ["title": .string(title), "options": ["Yes", "No"]])
      return Self.texts(row)
    }
    let push = texts("git push")
    #expect(push.suffix(2) == ["No", "Answer: Yes"], "\(push)")
    for command in ["rm -rf ./build", (1...9).map { "echo \($0)" }.joined(separator: "\n")] {
      let risky = texts(command)
      #expect(risky.last == "No" && !risky.contains { $0.hasPrefix("Answer") }, "\(risky)")
      #expect(risky.first == "Open in a terminal to approve it")
      #expect(risky.contains { $0.contains("⚠\u{FE0F} Dangerous command:") }, "\(risky)")
      #expect(!risky.contains { $0.contains(#"\"#) }, "\(risky)")
    }
  }

  @Test("the confirmation of an answer names it, and its first row goes back")
  func confirmation() {
    let row = Self.dialog("select", ["title": "Make it?", "options": ["Red", "Green"]])
    let menu = ApprovalMenu(row, in: Self.sight)
    let rows = menu.confirmation(of: .answer(.value("Green"))).rows.map(\.text)
    #expect(rows.first == "No, go back" && rows.last == "Yes, send 'Answer: Green'")
    #expect(menu.isAgreement(at: rows.count - 1))
    for index in [-1, 0, rows.count - 2, rows.count] { #expect(!menu.isAgreement(at: index)) }
  }

  @Test("a confirm offers yes and no, and other kinds only to cancel or to open them")
  func kinds() {
    let confirm = Self.texts(Self.dialog("confirm", ["title": "Make it?"]))
    #expect(confirm.suffix(2) == ["No", "Answer: Yes"], "\(confirm)")
    for method in ["ask", "input", "editor", "draw"] {
      let texts = Self.texts(Self.dialog(method, ["title": "Name?"]))
      #expect(texts.first == "Open in a terminal to answer it" && texts.last == "Cancel")
    }
  }
}
