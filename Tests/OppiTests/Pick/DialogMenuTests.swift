// SPDX-License-Identifier: MIT

import OppiSystem
import Testing

@testable import Oppi
@testable import OppiModel

/// The menu for the answer to a dialog.
@Suite struct DialogMenuTests {
  private static func row(_ method: String, _ body: JSONValue) throws -> ListedRequest {
    let question = UserQuestion(id: "q", method: method, body: body)
    let id = try #require(Fingerprint("sha256:" + String(repeating: "A", count: 43)))
    return ListedRequest(
      .question(question),
      of: id,
      at: RequestPlace(server: "studio", sessionID: nil),
      listedAt: Timestamp(milliseconds: 0)
    )
  }

  private static func texts(_ row: ListedRequest, _ sight: MenuSight?) -> [String] {
    ApprovalMenu(row, in: sight).menu.rows.map(\.text)
  }

  private static let sight = MenuSight(columns: 56, rows: 15)

  @Test("a row of the text with the text of an answer answers nothing")
  func deceiving() throws {
    let row = try Self.row(
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
  func visible() throws {
    let row = try Self.row("select", ["title": "Make it?", "options": ["Red", "Green"]])
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
      #expect(!isOffered(try Self.row("select", body), Self.sight), "\(body)")
    }
  }

  @Test("a gate with a warning sign is shown on its own lines, and No is always offered")
  func gate() throws {
    func texts(_ command: String) throws -> [String] {
      let title = "⚠\u{FE0F} Dangerous command:\n\n  \(command)\n\nAllow?"
      let row = try Self.row("select", ["title": .string(title), "options": ["Yes", "No"]])
      return Self.texts(row, Self.sight)
    }
    let push = try texts("git push")
    #expect(push.suffix(3) == ["Cancel", "Answer: Yes", "Answer: No"], "\(push)")
    for command in ["rm -rf ./build", (1...9).map { "echo \($0)" }.joined(separator: "\n")] {
      let risky = try texts(command)
      #expect(risky.suffix(2) == ["Cancel", "Answer: No"], "\(risky)")
      #expect(risky.first == "Open in a terminal to answer it")
      #expect(risky.contains { $0.contains("⚠\u{FE0F} Dangerous command:") }, "\(risky)")
      #expect(!risky.contains { $0.contains(#"\"#) }, "\(risky)")
    }
  }

  @Test("the confirmation of an answer names it, and its first row goes back")
  func confirmation() throws {
    let row = try Self.row("select", ["title": "Make it?", "options": ["Red", "Green"]])
    let menu = ApprovalMenu(row, in: Self.sight)
    let rows = menu.confirmation(of: .answer(.value("Green"))).rows.map(\.text)
    #expect(rows.first == "No, go back" && rows.last == "Yes, send 'Answer: Green'")
    #expect(menu.isAgreement(at: rows.count - 1))
    for index in [-1, 0, rows.count - 2, rows.count] { #expect(!menu.isAgreement(at: index)) }
  }

  @Test("a confirm offers yes and no, and other kinds only to cancel or to open them")
  func kinds() throws {
    let confirm = Self.texts(try Self.row("confirm", ["title": "Make it?"]), Self.sight)
    #expect(confirm.suffix(2) == ["No", "Answer: Yes"], "\(confirm)")
    for method in ["ask", "input", "editor", "draw"] {
      let texts = Self.texts(try Self.row(method, ["title": "Name?"]), Self.sight)
      #expect(texts.first == "Open in a terminal to answer it" && texts.last == "Cancel")
    }
  }
}
