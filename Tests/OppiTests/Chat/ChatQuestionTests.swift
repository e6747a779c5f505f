// SPDX-License-Identifier: MIT

import OppiTerminal
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// Questions of the agent in a chat on a screen.
@Suite struct ChatQuestionTests {
  static let parts: JSONValue = [
    "type": "extension_ui_request", "id": "q1", "sessionId": "S", "method": "ask",
    "allowCustom": true,
    "questions": [
      [
        "id": "scope", "question": "Which tests?",
        "options": [
          ["value": "all", "label": "All unit tests"],
          ["value": "unit", "label": "Unit tests", "description": "fast"],
        ],
      ],
      [
        "id": "extras", "question": "Which extras?", "multiSelect": true,
        "options": [
          ["value": "lint", "label": "Lint"], ["value": "docs", "label": "Docs"],
          ["value": "bench", "label": "Benchmarks"],
        ],
      ],
    ],
  ]

  static func dialog(_ method: String, _ more: JSONObject = [:]) -> JSONValue {
    ChatDialogTests.dialog("q1", method, more)
  }

  private static func desk(_ question: JSONValue) throws -> ChatDesk {
    var desk = ChatDesk()
    _ = try desk.connect("busy")
    try desk.begin()
    _ = try desk.receive(question)
    return desk
  }

  @Test("Ctrl-C with a typed answer clears it, and only the next one stops the turn")
  func clears() throws {
    var desk = try Self.desk(Self.parts)
    _ = desk.press(.text("a long answer"), after: .seconds(2))
    #expect(desk.press(.control("c")).isEmpty && desk.shows("answer cleared"))
    #expect(!desk.shows("a long answer"))
    #expect(!desk.press(.control("c"), after: .seconds(9)).isEmpty, "it stops")
    _ = desk.press(.escape)
    _ = desk.press(.up)
    #expect(desk.screen.composer.text == "a long answer")
  }

  @Test(
    "a number is that of a choice, whatever empty lines are around it",
    arguments: [[Key.newline, .text("2")], [.paste("2\n")], [.text("2"), .newline]]
  )
  func numbers(keys: [Key]) throws {
    let part: JSONValue = ["id": "a", "question": "Which?", "options": ["x", "y"]]
    var desk = try Self.desk(Self.dialog("ask", ["questions": [part], "allowCustom": true]))
    _ = desk.wait(.seconds(2))
    for key in keys { _ = desk.press(key, after: .milliseconds(50)) }
    let answers = desk.press(.enter, after: .milliseconds(500)).answers
    #expect(answers == [.choices(["a": .text("y")])])
  }

  @Test("the parts of a question are shown in sequence and answered together")
  func several() throws {
    var desk = try Self.desk(Self.parts)
    #expect(desk.shows("Which tests? (1 of 2)"))
    #expect(desk.press(.down, .down, after: .seconds(2)).answers.isEmpty)
    let part = desk.press(.enter, after: .milliseconds(250))
    #expect(part.answers.isEmpty, "a single part is not an answer")
    #expect(desk.shows("Which extras? (2 of 2)"))
    #expect(desk.press(.down, .enter).answers.isEmpty, "the next part was not drawn yet")
    _ = desk.press(.down, after: .milliseconds(300))
    _ = desk.press(.text(" "))
    _ = desk.press(.down, .down)
    _ = desk.press(.text(" "))
    let answers = desk.press(.enter, after: .milliseconds(250)).answers
    // The server takes a text for the first label that contains it, so the label is quoted. It
    // keeps only the first element of a list, so several choices are a single text.
    let texts = ["scope": "\"Unit tests\"", "extras": "Lint, Benchmarks"]
    #expect(answers == [.choices(texts.mapValues(PartAnswer.text))])
    #expect(!desk.shows("Which"))
  }

  /// A chat at the second part of the question, with its first choice marked.
  private static func marked(_ keys: [Key]) throws -> ChatDesk {
    var desk = try Self.desk(parts)
    _ = desk.press(.down, after: .seconds(2))
    _ = desk.press(.enter, after: .milliseconds(250))
    _ = desk.press(.down, after: .milliseconds(300))
    _ = desk.press(.text(" "))
    for key in keys { _ = desk.press(key) }
    return desk
  }

  @Test(
    "a number toggles a choice where several are allowed",
    arguments: ["1", "13", "1 3", "1, 3"]
  )
  func numberToggles(typed: String) throws {
    var desk = try Self.marked([" "])
    #expect(!desk.shows("[x]"))
    for character in typed { _ = desk.press(.text(String(character))) }
    #expect(desk.shows("[x] 1  Lint") && desk.shows("[x] 3  Benchmarks") == typed.contains("3"))
    var other = desk
    let extras = typed.contains("3") ? "Lint, Benchmarks" : "Lint"
    let answers = desk.press(.enter, after: .milliseconds(250)).answers
    #expect(answers.map(\.extras) == [extras])
    _ = other.press(.text(typed))
    #expect(!other.shows("[x]") && other.screen.composer.isEmpty)
    #expect(other.press(.enter).answers.isEmpty)
  }

  @Test("arrows go on from the choice that a number toggled, where the cursor is")
  func numberMoves() throws {
    var desk = try Self.marked(["2"])
    #expect(desk.lineOfCursor.contains("2  "))
    _ = desk.press(.down)
    _ = desk.press(.down)
    #expect(desk.lineOfCursor.contains("3  Benchmarks"))
  }

  @Test("before anything is selected, the cursor is in the field, else on the question")
  func focus() throws {
    var desk = try Self.desk(Self.dialog("confirm"))
    #expect(desk.lineOfCursor.contains("Say"))
    _ = desk.press(.down, after: .seconds(2))
    #expect(desk.lineOfCursor.contains("yes"))
    desk = try Self.desk(Self.parts)
    #expect(desk.lineOfCursor.hasPrefix("answer ›"))
  }

  @Test(
    "a number or a typed text is added to a marked choice",
    arguments: [
      (["1"], nil, "[ ] 1  Lint"), (["3"], "Lint, Benchmarks", "[x] 3  Benchmarks"),
      (["9"], nil, "no choice 9"), (["and spelling"], "Lint, and spelling", "(2 of 2)"),
      (["x", .backspace], "Lint", "(2 of 2)"), ([.down], "Lint", "[x] 1  Lint"),
      (["benchmarks"], "Lint, Benchmarks", "(2 of 2)"),
    ] as [([Key], String?, String)]
  )
  func besideMark(keys: [Key], extras: String?, sign: String) throws {
    var desk = try Self.marked(keys)
    let isShown = desk.shows(sign)
    let answers = desk.press(.enter, after: .milliseconds(250)).answers
    #expect(answers.map(\.extras) == (extras.map { [$0] } ?? []))
    #expect(isShown || desk.shows(sign), "\(desk.lines)")
  }

  @Test("a question is not shown as settled between two of its parts")
  func betweenParts() throws {
    var desk = try Self.desk(Self.parts)
    _ = desk.press(.text("other tests"), after: .seconds(2))
    _ = desk.press(.enter)
    #expect(desk.shows("Which extras? (2 of 2)") && !desk.shows("settled"))
    #expect(desk.screen.note == nil)
  }

  @Test("a draft in progress is neither lost nor used as the answer to a new question")
  func typing() throws {
    var desk = ChatDesk()
    _ = try desk.connect("busy")
    try desk.begin()
    _ = desk.press(.text("please "))
    _ = try desk.receive(Self.parts)
    for letter in ["a", "d", "d", " ", "1"] {
      #expect(desk.press(.text(letter), after: .milliseconds(200)).isEmpty)
    }
    #expect(desk.press(.enter, after: .milliseconds(200)).isEmpty)
    #expect(desk.screen.composer.text == "please add 1")
    _ = desk.press(.escape)
    #expect(desk.press(.enter).sent == ["follow_up please add 1"])
    #expect(desk.shows("waiting for an answer (Esc: show the request): Which tests?"))
  }

  @Test("no key except Enter answers a question", arguments: rounds(40, of: 100))
  func property(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let methods = ["confirm", "input", "editor", "select"]
    let question =
      seed % 2 == 0
      ? Self.parts
      : Self.dialog(
        methods[seed / 2 % 4],
        ["options": .array((1...12).map { .string("choice \($0)") })]
      )
    var desk = try Self.desk(question)
    let keys: [Key] = [
      .up, .down, .left, .right, .tab, .escape, .text("1"), .text("y"), .text(" "), .text("n"),
      .paste("1\n2\n"), .backspace, .newline, .pageDown, .control("r"), .control("u"), .undo,
    ]
    for _ in 0..<60 {
      let pause = Duration.milliseconds([0, 300, 1500].randomElement(using: &generator) ?? 0)
      let key = keys.randomElement(using: &generator) ?? .tab
      #expect(desk.press(key, after: pause).answers.isEmpty)
      _ = desk.resize(
        columns: .random(in: 1...120, using: &generator),
        rows: .random(in: 1...40, using: &generator)
      )
      #expect(desk.lines.allSatisfy { DisplayWidth.of($0) <= desk.screen.size.columns })
    }
  }

  @Test("the twelfth choice can be typed as 12, and Enter alone selects nothing")
  func manyChoices() throws {
    let options = JSONValue.array((1...12).map { .string("choice \($0)") })
    var desk = try Self.desk(Self.dialog("select", ["options": options]))
    #expect(desk.press(.enter, after: .seconds(2)).isEmpty)
    #expect(desk.shows("nothing is selected"))
    #expect(desk.press(.text("1"), .text("2")).isEmpty)
    #expect(desk.shows("▸ 12  choice 12"))
    #expect(desk.press(.enter, after: .milliseconds(250)).answers == [.value("choice 12")])
  }

  @Test("a dialog accepts a text, its edited prefill, yes or no, or a cancellation")
  func dialogs() throws {
    var input = try Self.desk(Self.dialog("input"))
    _ = input.press(.text("a name"), after: .seconds(2))
    #expect(input.press(.enter).answers == [.value("a name")])

    var editor = try Self.desk(Self.dialog("editor", ["prefill": "one\ntwo"]))
    _ = editor.press(.text("!"), after: .seconds(2))
    #expect(editor.press(.enter).answers == [.value("one\ntwo!")])

    for (key, answer) in [("y", true), ("n", false)] {
      var confirm = try Self.desk(Self.dialog("confirm", ["message": "Go on?"]))
      #expect(confirm.shows("Say: Go on?"))
      _ = confirm.press(.text(key), after: .seconds(2))
      let pause = Duration.milliseconds(answer ? 250 : 0)
      #expect(confirm.press(.enter, after: pause).answers == [.confirmed(answer)])
    }

    var left = try Self.desk(Self.dialog("confirm"))
    _ = left.press(.up, after: .seconds(2))
    #expect(left.press(.enter).answers == [.cancelled])
  }

  @Test("a typed answer selects a choice only if it is the whole of it")
  func whole() throws {
    var desk = try Self.desk(Self.parts)
    _ = desk.press(.text("all"), after: .seconds(2))
    #expect(!desk.shows("▸"))
    _ = desk.press(.text(" unit TESTS"))
    #expect(desk.shows("▸ 1  All unit tests"))
    _ = desk.press(.text(", twice"))
    #expect(!desk.shows("▸"))
  }

  @Test("the selection of a question stays visible")
  func seen() throws {
    let options = JSONValue.array((1...60).map { .string("a choice of many words, \($0)") })
    var many = try Self.desk(Self.dialog("select", ["options": options]))
    _ = many.resize(columns: 20, rows: 12)
    _ = many.press(.up, after: .seconds(2))
    #expect(many.shows("▸ cancel the request"))
    _ = many.press(.up)
    #expect(many.shows("▸ 60") && many.shows("60"))
  }

  @Test("a larger window that shows unseen rows of a question needs a new pause")
  func grown() throws {
    let long = (1...30).map { "line \($0)" }.joined(separator: "\n")
    var desk = try Self.desk(
      Self.dialog("select", ["message": .string(long), "options": ["Yes", "No"]])
    )
    _ = desk.resize(columns: 40, rows: 8)
    _ = desk.press(.text("1"), after: .seconds(2))
    _ = desk.resize(columns: 80, rows: 60)
    #expect(desk.press(.enter, after: .milliseconds(990)).answers.isEmpty)
    #expect(desk.press(.enter, after: .seconds(2)).answers.count == 1)
  }

  @Test("an unedited prefill is not an answer")
  func untouched() throws {
    let prefill = "-9223372036854775808"
    var desk = try Self.desk(Self.dialog("editor", ["prefill": .string(prefill)]))
    #expect(desk.press(.enter, after: .seconds(2)).answers.isEmpty)
    _ = desk.press(.left)
    #expect(desk.press(.enter).answers == [.value(prefill)])
  }
}

extension QuestionAnswer {
  /// The answer to the part `extras`.
  fileprivate var extras: String? {
    guard case .choices(let parts) = self, case .text(let text)? = parts["extras"] else {
      return nil
    }
    return text
  }
}
