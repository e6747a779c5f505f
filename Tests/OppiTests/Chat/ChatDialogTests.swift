// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// Dialogs in a chat with a server that lists them.
@Suite struct ChatDialogTests {
  static func dialog(_ id: String, _ method: String, _ more: JSONObject = [:]) -> JSONValue {
    .object(
      ([
        "type": "extension_ui_request", "id": .string(id), "sessionId": "S",
        "method": .string(method), "title": "Say",
      ] as JSONObject).adding(more)
    )
  }

  private static func desk(_ dialogs: JSONValue..., rows: Int = 24) throws -> ChatDesk {
    var desk = ChatDesk(rows: rows, requests: .dialogs)
    _ = try desk.connect("busy")
    try desk.begin()
    for dialog in dialogs { _ = try desk.receive(dialog) }
    return desk
  }

  private static let gate: JSONObject = [
    "title": .string((1...30).map { "echo line-\($0)" }.joined(separator: "\n")),
    "options": ["Yes", "No"], "extensionDisplayName": "Gate",
  ]

  @Test("the end of a long title must be seen before an answer, and not before a cancellation")
  func end() throws {
    var desk = try Self.desk(Self.dialog("a", "select", Self.gate))
    #expect(desk.shows("asked by Gate") && desk.shows("! echo line-1"))
    _ = desk.press(.text("1"), after: .seconds(2))
    #expect(desk.press(.enter).answers.isEmpty)
    #expect(desk.shows("scroll through all of it (PageDown) before answering"))
    for _ in 0..<5 { _ = desk.press(.pageDown) }
    #expect(desk.shows("echo line-30") && desk.shows("1  Yes"))
    #expect(desk.press(.enter, after: .milliseconds(250)).answers == [.value("Yes")])

    var left = try Self.desk(Self.dialog("a", "select", Self.gate))
    _ = left.press(.up, after: .seconds(2))
    #expect(left.press(.enter).answers == [.cancelled])
  }

  @Test(
    "a draft that begins like a choice answers nothing, and stays whole",
    arguments: [
      ("confirm", [:], "yes please"), ("select", ["options": ["1", "Go"]], "1. Go"),
      (
        "ask",
        [
          "allowCustom": false,
          "questions": [
            ["id": "a", "question": "?", "multiSelect": true, "options": ["x", "y"]]
          ],
        ], "12 monkeys"
      ),
    ] as [(String, JSONObject, String)]
  )
  func draft(method: String, more: JSONObject, text: String) throws {
    var desk = try Self.desk(Self.dialog("a", method, more))
    _ = desk.press(.text("q"), after: .seconds(2))
    _ = desk.press(.backspace)
    for (place, letter) in text.enumerated() {
      _ = desk.press(.text(String(letter)), after: place == 0 ? .seconds(2) : .milliseconds(100))
    }
    #expect(desk.shows(text), "\(desk.lines)")
    #expect(desk.press(.enter, after: .seconds(2)).answers.isEmpty)
  }

  @Test("a dialog that is not whole can only be cancelled")
  func incomplete() throws {
    var desk = try Self.desk(Self.dialog("a", "select", ["options": ["Yes", 3]]))
    #expect(desk.shows("too long to be shown in full; you can only cancel it"))
    _ = desk.press(.text("Yes"), after: .seconds(2))
    #expect(desk.press(.enter).answers.isEmpty)
    var input = try Self.desk(
      Self.dialog("a", "input", ["prefill": .string(String(repeating: "a", count: 70_000))])
    )
    _ = input.press(.end, after: .seconds(2))
    _ = input.press(.text("x"))
    #expect(input.press(.enter).answers.isEmpty)
    #expect(input.shows("too long to be shown in full; you can only cancel it"))
  }

  @Test("hidden characters of an option are shown, and the option is sent unchanged")
  func hidden() throws {
    let option = "Yes\u{202E}"
    var desk = try Self.desk(Self.dialog("a", "select", ["options": [.string(option), "No"]]))
    #expect(desk.shows(#"Yes\u{202E}"#) && desk.shows("1 hidden character"))
    _ = desk.press(.text("1"), after: .seconds(2))
    #expect(desk.press(.enter, after: .milliseconds(250)).answers == [.value(option)])
  }

  @Test("a typed number that is also another option selects neither")
  func ambiguous() throws {
    var desk = try Self.desk(Self.dialog("a", "select", ["options": ["2", "1"]]))
    _ = desk.press(.text("1"), after: .seconds(2))
    #expect(!desk.shows("▸") && desk.press(.enter).answers.isEmpty)
    _ = desk.press(.backspace)
    _ = desk.press(.down)
    #expect(desk.press(.enter, after: .milliseconds(250)).answers == [.value("2")])
  }

  @Test("a number that Enter rejected is no part of what is typed next")
  func rejected() throws {
    for next in ["2", "hello"] {
      var desk = try Self.desk(Self.dialog("a", "select", ["options": ["Yes", "No"]]))
      _ = desk.press(.text("1"), after: .seconds(2))
      _ = desk.press(.text("1"))
      #expect(desk.press(.enter).answers.isEmpty && desk.shows("no choice 11"))
      #expect(desk.press(.enter).answers.isEmpty && desk.shows("nothing is selected"))
      for letter in next { _ = desk.press(.text(String(letter))) }
      #expect(desk.shows(next == "2" ? "▸ 2  No" : "hello"), "\(desk.lines)")
      #expect(!desk.shows("11"), "\(desk.lines)")
      let answers = desk.press(.enter, after: .milliseconds(250)).answers
      #expect(answers == (next == "2" ? [.value("No")] : []))
    }
  }

  @Test("a rejected number stays beside marks, so that another Enter does not send them alone")
  func rejectedBesideMarks() throws {
    let part: JSONValue = [
      "id": "a", "question": "?", "multiSelect": true, "options": ["x", "y"],
    ]
    let ask: JSONObject = ["allowCustom": false, "questions": [part]]
    var desk = try Self.desk(Self.dialog("a", "ask", ask))
    _ = desk.press(.down, after: .seconds(2))
    _ = desk.press(.text(" "))
    _ = desk.press(.text("9"))
    for _ in 1...2 {
      #expect(desk.press(.enter, after: .seconds(2)).answers.isEmpty, "\(desk.lines)")
    }
  }

  @Test("an answer of no to a confirm is a cancellation")
  func confirm() throws {
    for (key, answer) in [("y", QuestionAnswer.confirmed(true)), ("n", .cancelled)] {
      var desk = try Self.desk(Self.dialog("a", "confirm", ["message": "Go on?"]))
      _ = desk.press(.text(key), after: .seconds(2))
      let pause = Duration.milliseconds(key == "y" ? 250 : 0)
      #expect(desk.press(.enter, after: pause).answers == [answer])
    }
  }

  @Test("an ask is answered by values, several choices by a list, and skipped texts by themselves")
  func ask() throws {
    let parts: JSONValue = [
      [
        "id": "scope", "question": "Which tests?",
        "options": [
          ["value": "all", "label": "All unit tests"], ["value": "u", "label": "Unit"],
        ],
      ],
      [
        "id": "extras", "question": "Which extras?", "multiSelect": true,
        "options": [["value": "lint", "label": "Lint"], ["value": "docs", "label": "Docs"]],
      ],
    ]
    var desk = try Self.desk(Self.dialog("a", "ask", ["questions": parts]))
    _ = desk.press(.text("unit"), after: .seconds(2))
    #expect(desk.press(.enter).answers.isEmpty)
    _ = desk.press(.text("2"), after: .milliseconds(300))
    let answers = desk.press(.enter, after: .milliseconds(250)).answers
    #expect(answers == [.choices(["scope": .text("u"), "extras": .list(["docs"])])])
  }

  @Test("the parts of one ask do not answer another with the same part ids")
  func twoAsks() throws {
    let parts: JSONValue = [
      ["id": "q1", "question": "First?"], ["id": "q2", "question": "Second?"],
    ]
    var desk = try Self.desk(
      Self.dialog("a", "ask", ["questions": parts]),
      Self.dialog("b", "ask", ["questions": parts])
    )
    _ = desk.press(.text("one"), after: .seconds(2))
    _ = desk.press(.enter)
    #expect(desk.shows("Second? (2 of 2)"))
    _ = try desk.receive(["type": "extension_ui_settled", "id": "a", "sessionId": "S"])
    #expect(desk.shows("First? (1 of 2)"))
  }

  @Test("several dialogs are shown one after the other, in the order of their arrival")
  func several() throws {
    var desk = try Self.desk(
      Self.dialog("a", "confirm", ["title": "First?"]),
      Self.dialog("b", "confirm", ["title": "Second?"])
    )
    #expect(desk.shows("First?") && !desk.shows("Second?"))
    _ = desk.press(.text("y"), after: .seconds(2))
    #expect(desk.press(.enter, after: .milliseconds(250)).answers == [.confirmed(true)])
    #expect(desk.shows("Second?"))
    // The next dialog needs a rest of its own.
    #expect(desk.press(.text("y"), .enter).answers.isEmpty)
  }

  @Test("a dialog that was settled elsewhere disappears, and the reason is unknown")
  func settled() throws {
    var desk = try Self.desk(Self.dialog("a", "confirm"))
    let effects = try desk.receive(["type": "extension_ui_settled", "id": "a", "sessionId": "S"])
    #expect(!desk.shows("! Say"))
    #expect(desk.screen.note == QuestionText.settled, "\(effects)")
    // An Enter that was meant for the dialog sends nothing.
    _ = desk.press(.text("y"))
    #expect(desk.press(.enter).sent.isEmpty)
  }

  @Test("the end of a dialog that was answered here is no news")
  func own() throws {
    var desk = try Self.desk(Self.dialog("a", "confirm"))
    _ = desk.press(.text("y"), after: .seconds(2))
    _ = desk.press(.enter, after: .milliseconds(250))
    _ = try desk.receive(["type": "extension_ui_settled", "id": "a", "sessionId": "S"])
    #expect(desk.screen.note != QuestionText.settled)
  }

  @Test("a typed answer survives a new connection of the session")
  func reconnected() throws {
    var desk = try Self.desk(Self.dialog("a", "input"))
    _ = desk.press(.text("half an ans"), after: .seconds(2))
    _ = try desk.connect("busy", sequence: 1)
    _ = try desk.receive(Self.dialog("a", "input"))
    _ = desk.press(.text("wer"))
    #expect(desk.press(.enter).answers == [.value("half an answer")])
  }

  /// Changes of a dialog that a user must read again.
  private static let changes: [JSONObject] = [
    ["title": "Delete it?"], ["title": "Sa\ny"], ["message": "all of it"],
    ["options": ["No", "Yes"]], ["options": ["Yes", "No", "Never"]], ["placeholder": "x"],
    ["extensionDisplayName": "Other"], ["method": "confirm"],
  ]

  @Test("a dialog that changes under its id is shown anew, and nothing that was selected counts")
  func changed() throws {
    let options: JSONObject = ["options": ["Yes", "No"]]
    for change in Self.changes {
      var desk = try Self.desk(Self.dialog("a", "select", options))
      _ = desk.press(.tab, after: .seconds(2))
      _ = try desk.receive(Self.dialog("a", "select", options.adding(change)))
      #expect(desk.shows(QuestionText.changed), "\(change)")
      #expect(desk.press(.enter, after: .milliseconds(300)).answers.isEmpty, "\(change)")
      #expect(desk.press(.enter, after: .milliseconds(1200)).answers.isEmpty, "\(change)")
      #expect(!desk.shows("▸"), "\(change)")
      _ = desk.press(.tab, after: .seconds(2))
      #expect(desk.press(.enter, after: .seconds(1)).answers.count == 1, "\(change)")
    }
    var same = try Self.desk(Self.dialog("a", "select", ["options": ["Yes", "No"]]))
    _ = same.press(.tab, after: .seconds(2))
    _ = try same.receive(Self.dialog("a", "select", ["options": ["Yes", "No"], "timeoutAt": 9]))
    #expect(same.press(.enter, after: .milliseconds(300)).answers == [.value("Yes")])
  }

  @Test("an answer that the server has not because its dialog changed shows the new dialog")
  func changedOnServer() throws {
    var desk = try Self.desk(Self.dialog("a", "confirm"))
    _ = desk.press(.text("y"), after: .seconds(2))
    #expect(desk.press(.enter, after: .milliseconds(250)).answers == [.confirmed(true)])
    let present = UserQuestion(id: "a", method: "confirm", body: ["title": "Delete it?"])
    let last = UserQuestion(id: "a", method: "confirm", body: ["title": "Drop it?"])
    var result = ChatResult(
      kind: .answer(id: "a"),
      text: DecisionOutcome.changed.notice(of: .answer(.confirmed(true))),
      outcome: .failed,
      line: RequestReply.answer(.confirmed(true)).line(
        about: .question(present),
        .changed,
        at: Timestamp(milliseconds: 0)
      ),
      present: .question(present)
    )
    _ = desk.update(.news(.performed(result)))
    #expect(desk.shows("Delete it?") && desk.shows(QuestionText.changed))
    // News about anything else does not bring the old one back.
    _ = try desk.receive(Self.dialog("b", "confirm", ["title": "Second?"]))
    #expect(desk.shows("Delete it?"))
    _ = desk.press(.text("y"), after: .seconds(2))
    let effects = desk.press(.enter, after: .milliseconds(250))
    guard case .reply(_, let request)? = effects.first(where: { !$0.isNotice }) else {
      Issue.record("no answer")
      return
    }
    #expect(request == .question(present))
    // Nor after it has changed once more.
    result.present = .question(last)
    _ = desk.update(.news(.performed(result)))
    _ = try desk.receive(Self.dialog("c", "confirm", ["title": "Third?"]))
    #expect(desk.shows("Drop it?"))
  }

  @Test("what was answered of a dialog in parts does not answer the one that replaces it")
  func changedParts() throws {
    let parts: JSONValue = [
      ["id": "q1", "question": "First?"], ["id": "q2", "question": "Second?"],
    ]
    let others: JSONValue = [
      ["id": "q1", "question": "Other?"], ["id": "q2", "question": "Second?"],
    ]
    var desk = try Self.desk(Self.dialog("a", "ask", ["questions": parts]))
    _ = desk.press(.text("one"), after: .seconds(2))
    _ = desk.press(.enter)
    #expect(desk.shows("Second? (2 of 2)"))
    _ = try desk.receive(Self.dialog("a", "ask", ["questions": others]))
    #expect(desk.shows("Other? (1 of 2)") && desk.shows(QuestionText.changed))
  }

  @Test("in line mode, a dialog is shown with all its lines, and answered by its number")
  func byLine() throws {
    var desk = ChatLinesDesk(requests: .dialogs)
    try desk.begin()
    let printed = try desk.receive(Self.dialog("a", "select", Self.gate)).printed
    #expect(printed.first == "Approval: waiting for approval, asked by Gate, 30 lines")
    for number in 1...30 { #expect(printed.contains("line \(number): echo line-\(number)")) }
    #expect(printed.suffix(3).prefix(2) == ["1 Yes", "2 No"])
    let wrong = desk.type("yes!").printed
    #expect(wrong.first?.hasPrefix("no such choice") == true)
    #expect(desk.type("Yes").answers == [.value("Yes")])
    let end = try desk.receive(["type": "extension_ui_settled", "id": "a", "sessionId": "S"])
    #expect(end.printed.isEmpty)
    _ = try desk.receive(Self.dialog("c", "confirm"))
    let anew = try desk.receive(Self.dialog("c", "confirm", ["title": "Delete it?"])).printed
    #expect(anew.first == QuestionText.changed && anew.contains { $0.contains("Delete it?") })
    _ = try desk.receive(["type": "extension_ui_settled", "id": "c", "sessionId": "S"])
    let cut = try desk.receive(Self.dialog("b", "select", ["options": ["Yes", 3]])).printed
    #expect(cut.contains("warning: too long to be shown in full; you can only cancel it"))
    _ = try desk.receive(["type": "extension_ui_settled", "id": "b", "sessionId": "S"])
  }
}

extension ChatEffect {
  fileprivate var isNotice: Bool { if case .say = self { true } else { false } }
}
