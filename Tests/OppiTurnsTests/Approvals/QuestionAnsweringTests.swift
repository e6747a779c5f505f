// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTurns

/// Answers to questions by the words of a command line.
@Suite struct QuestionAnsweringTests {
  private static func dialog(_ method: String, _ options: [String] = []) -> UserQuestion {
    let options = options.map(JSONValue.string)
    return UserQuestion.sample(method, ["title": "Say", "options": .array(options)])
  }

  private static func ask(allowCustom: Bool = true) -> UserQuestion {
    UserQuestion.sample(
      "ask",
      [
        "allowCustom": .bool(allowCustom),
        "questions": [
          [
            "id": "scope", "question": "Which tests?",
            "options": [
              ["value": "all", "label": "All tests"], ["value": "unit", "label": "Unit tests"],
            ],
          ],
          [
            "id": "extras", "question": "Which extras?", "multiSelect": true,
            "options": [
              ["value": "lint", "label": "Lint"], ["value": "docs", "label": "Docs, all"],
              ["value": "bench", "label": "Benchmarks"],
            ],
          ],
          ["id": "why", "question": "Why?"],
        ],
      ]
    )
  }

  private static func noPart(_ id: String, among parts: [String] = []) -> OppiError {
    OppiError(
      .badInput,
      "the question has no part '\(id)'",
      hints: parts + ["show the request with: oppi approvals show q"]
    )
  }

  // MARK: - Dialogs

  @Test("a select takes the text or the number of one option, and sends its text")
  func select() throws {
    let question = Self.dialog("select", ["Yes", "No"])
    #expect(try question.answer(by: ["Yes"]) == .value("Yes"))
    #expect(try question.answer(by: ["2"]) == .value("No"))
    #expect(try question.answer(by: []) == nil)
    let problem = OppiError.noChoice("yes", of: "q", among: ["1 Yes", "2 No"])
    #expect(throws: problem) { try question.answer(by: ["yes"]) }
    #expect(throws: OppiError.severalAnswers) { try question.answer(by: ["Yes", "No"]) }
    #expect(throws: Self.noPart("x")) { try question.answer(by: ["Yes"], toPart: "x") }
  }

  @Test("a select without options, or with an ambiguous name, takes no answer")
  func noOption() {
    #expect(throws: OppiError.noChoice("1", of: "q", among: [])) {
      try Self.dialog("select").answer(by: ["1"])
    }
    let problem = OppiError.noChoice(
      "1",
      of: "q",
      among: ["1 2", "2 1"],
      because: "is ambiguous: it names several choices"
    )
    #expect(throws: problem) { try Self.dialog("select", ["2", "1"]).answer(by: ["1"]) }
  }

  @Test(
    "a confirm takes yes or no, and no is a cancellation",
    arguments: [
      ("yes", QuestionAnswer.confirmed(true)), ("Y", .confirmed(true)), ("no", .cancelled),
      ("n", .cancelled), ("1", nil), ("true", nil), ("", nil),
    ]
  )
  func confirm(word: String, answer: QuestionAnswer?) throws {
    let question = Self.dialog("confirm")
    guard let answer else {
      #expect(throws: OppiError.self) { try question.answer(by: [word]) }
      return
    }
    #expect(try question.answer(by: [word]) == answer)
  }

  @Test(
    "an input and an editor take any one text, even an empty one",
    arguments: ["input", "editor"]
  )
  func texts(method: String) throws {
    for text in ["a name", "", "1", "two\nlines"] {
      #expect(try Self.dialog(method).answer(by: [text]) == .value(text))
    }
    #expect(throws: OppiError.severalAnswers) {
      try Self.dialog(method).answer(by: ["two", "words"])
    }
  }

  @Test("a question of an unknown kind takes no answer")
  func unknown() {
    let problem = OppiError(
      .badInput,
      "cannot answer a question of kind 'draw'",
      hints: ["cancel it with: oppi deny q"]
    )
    #expect(throws: problem) { try Self.dialog("draw").answer(by: ["x"]) }
  }

  // MARK: - Several parts

  @Test("each word answers a part in order, by values, and skipped parts are left out")
  func parts() throws {
    let question = Self.ask()
    #expect(
      try question.answer(by: ["Unit tests", "Lint,3", "because"])
        == .choices([
          "scope": .text("unit"), "extras": .list(["bench", "lint"]), "why": .text("because"),
        ])
    )
    #expect(try question.answer(by: ["", "", "so"]) == .choices(["why": .text("so")]))
    #expect(try question.answer(by: ["1", "", ""]) == .choices(["scope": .text("all")]))
    #expect(try question.answer(by: ["", "", ""]) == .choices([:]))
    #expect(throws: OppiError.tooManyAnswers) {
      try question.answer(by: ["1", "1", "x", "y"])
    }
  }

  @Test("fewer words than parts are no answer, and the error names the parts", arguments: 1...2)
  func tooFew(count: Int) {
    let words = Array(repeating: "1", count: count)
    let error = #expect(throws: OppiError.self) { try Self.ask().answer(by: words) }
    #expect(error?.code == .badInput && error?.message.contains("3 parts") == true)
    #expect(error?.hints.first?.hasPrefix("part 1: ") == true, "\(String(describing: error))")
    #expect(error?.hints.count == 4)
  }

  @Test("a part with several choices takes a list, also of one, and a label with a comma is whole")
  func lists() throws {
    let question = Self.ask()
    for (word, values) in [
      ("Lint", ["lint"]), ("Docs, all", ["docs"]), ("2, 1, 2", ["docs", "lint"]),
      ("lint,bench", ["bench", "lint"]),
    ] {
      #expect(
        try question.answer(by: ["", word, ""]) == .choices(["extras": .list(values)]),
        "\(word)"
      )
    }
  }

  @Test("an own text is an answer only if it is allowed and none of its names is a choice")
  func ownText() throws {
    let question = Self.ask()
    #expect(
      try question.answer(by: ["the slow ones", "", ""])
        == .choices(["scope": .text("the slow ones")])
    )
    #expect(
      try question.answer(by: ["", "spelling, style", ""])
        == .choices(["extras": .list(["spelling, style"])])
    )
    // The number of a missing choice is a mistake, and so is a list that is only partly of choices.
    for words in [
      ["9", "", ""], ["1,2", "", ""], ["", "Lint, spelling", ""], ["", "1,9", ""],
      ["", "7, 8", ""],
    ] {
      #expect(throws: OppiError.self, "\(words)") { try question.answer(by: words) }
    }
    // A question without choices takes numbers.
    #expect(try question.answer(by: ["", "", "42"]) == .choices(["why": .text("42")]))
    #expect(throws: OppiError.self) {
      try Self.ask(allowCustom: false).answer(by: ["the slow ones", "", ""])
    }
  }

  @Test("with the id of a part, all words are choices of that part")
  func onePart() throws {
    let question = Self.ask()
    #expect(
      try question.answer(by: ["Docs, all", "1"], toPart: "extras")
        == .choices(["extras": .list(["docs", "lint"])])
    )
    #expect(try question.answer(by: ["2"], toPart: "scope") == .choices(["scope": .text("unit")]))
    #expect(throws: OppiError.severalAnswers) {
      try question.answer(by: ["1", "2"], toPart: "scope")
    }
    #expect(throws: Self.noPart("x", among: ["parts: scope, extras, why"])) {
      try question.answer(by: ["1"], toPart: "x")
    }
  }

  // MARK: - On the wire

  @Test(
    "an answer has the members of the protocol",
    arguments: [
      (QuestionAnswer.value("Yes"), #""value":"Yes""#), (.confirmed(true), #""confirmed":true"#),
      (.cancelled, #""cancelled":true"#), (.choices([:]), #""value":"{}""#),
      (.choices(["a": .text("x")]), #""value":"{\"a\":\"x\"}""#),
      (.choices(["a": .list(["x", "y"])]), #""value":"{\"a\":[\"x\",\"y\"]}""#),
      (.choices(["a": .text("x, y")]), #""value":"{\"a\":\"x, y\"}""#),
    ]
  )
  func wire(answer: QuestionAnswer, members: String) {
    let message = ClientMessage.answer(questionID: "q", answer)
    let text = message.json(sessionID: nil, requestID: "r").text()
    #expect(text.contains(members), "\(text)")
  }
}

/// Choices of a question by their numbers and texts.
@Suite struct OptionNamesTests {
  private static func names(_ labels: String...) -> OptionNames {
    OptionNames(labels.map { UserQuestion.Option(value: $0, label: $0) })
  }

  @Test(
    "a choice has its number and exactly its text",
    arguments: [
      ("1", OptionNames.Match.one(0)), ("3", .one(2)), ("Yes", .one(0)), ("No", .one(1)),
      ("0", .none), ("4", .none), ("-1", .none), ("+1", .none), ("01", .none), ("1 ", .none),
      ("yes", .none), ("Ye", .none), ("Yes ", .none), ("", .none), ("99999999999999999999", .none),
    ]
  )
  func exact(name: String, match: OptionNames.Match) {
    #expect(Self.names("Yes", "No", "Later").match(name) == match)
  }

  @Test("a number that is also the text of another choice is ambiguous")
  func numbers() {
    let names = Self.names("2", "1", "3")
    #expect(names.match("1") == .several && names.match("2") == .several)
    #expect(names.match("3") == .one(2))
    #expect(Self.names("8080", "9090").match("8080") == .one(0))
  }

  @Test("equal choices are one choice, because the server gets the same text")
  func duplicates() {
    let names = Self.names("Yes", "No", "Yes")
    #expect(names.match("Yes") == .one(0) && names.match("3") == .one(2))
  }

  @Test("choices with the same label and different values are ambiguous")
  func labels() {
    let names = OptionNames([
      .init(value: "a", label: "Same"), .init(value: "b", label: "Same"),
      .init(value: "Same", label: "Other"),
    ])
    #expect(names.match("Same") == .several)
    #expect(names.match("a") == .one(0) && names.match("2") == .one(1))
    #expect(names.match("Other") == .one(2))
    let two = OptionNames([.init(value: "a", label: "Same"), .init(value: "b", label: "Same")])
    #expect(two.match("Same") == .several && two.match("b") == .one(1))
    let one = OptionNames([.init(value: "a", label: "One"), .init(value: "a", label: "Two")])
    #expect(one.match("a") == .one(0) && one.match("Two") == .one(1))
  }

  @Test("a choice with hidden characters is named as it is shown, and differs from its look-alike")
  func hidden() {
    let names = Self.names("Yes\u{200B}", "Yes", "e\u{301}", "\u{E9}")
    #expect(names.match(#"Yes\u{200B}"#) == .one(0))
    #expect(names.match("Yes") == .one(1) && names.match("Yes\u{200B}") == .one(0))
    // Equal characters of different bytes are different texts for the server.
    #expect(names.match("\u{E9}") == .one(3) && names.match("e\u{301}") == .one(2))
    #expect(names.shown == [#"1 Yes\u{200B}"#, "2 Yes", "3 e\u{301}", "4 \u{E9}"])
  }

  @Test("an empty choice has a number")
  func empty() {
    let names = Self.names("", "x")
    #expect(names.match("") == .one(0) && names.match("1") == .one(0))
    #expect(Self.names().match("1") == .none && Self.names().match("") == .none)
  }
}

/// A question with its choices, and what a typed text answers.
@Suite struct ShownQuestionTests {
  private static func ask(_ labels: [String], _ more: JSONObject = [:]) -> UserQuestion {
    let part: JSONValue = [
      "id": "a", "question": "Run it?", "options": .array(labels.map(JSONValue.string)),
    ]
    return UserQuestion.sample("ask", .object((["questions": [part]] as JSONObject).adding(more)))
  }

  private static func answer(
    _ text: String,
    to labels: [String],
    beside marked: Set<Int> = []
  ) -> QuestionAnswer? {
    ShownQuestion(ask(labels), answered: [:])?.answer(forText: text, beside: marked)
  }

  @Test("a typed text names a choice only by its number or its whole label")
  func named() {
    let labels = ["Yes, run it now", "Later"]
    for text in ["Yes, run it now", "yes, run it NOW ", "1"] {
      #expect(Self.answer(text, to: labels) == .value("Yes, run it now"), "\(text)")
    }
    #expect(Self.answer("3", to: labels) == nil)
    #expect(Self.answer("not today", to: labels) == .value("not today"))
  }

  @Test("a number that is also the label of another choice names neither")
  func ambiguousNumber() {
    let labels = ["3", "2", "1"]
    for text in ["1", "3", " 3 "] { #expect(Self.answer(text, to: labels) == nil, "\(text)") }
    #expect(Self.answer("2", to: labels) == .value("2"))
    // The label of the same choice, and of one without that number.
    #expect(Self.answer("3", to: ["a", "b", "3"]) == .value("3"))
    #expect(Self.answer("8080", to: ["9090", "8080"]) == .value("8080"))

    let options = JSONValue.array(labels.map(JSONValue.string))
    let select = UserQuestion.sample("select", ["options": options])
    let dialog = ShownQuestion(select, answered: [:])
    #expect(dialog?.answer(forText: "3") == nil && dialog?.answer(forText: "2") == .value("2"))

    let part: JSONValue = ["id": "a", "question": "?", "multiSelect": true, "options": options]
    let several = UserQuestion.sample("ask", ["questions": [part]])
    let ask = ShownQuestion(several, answered: [:])
    // Both readings name the first and the last choice.
    #expect(ask?.answer(forText: "1,3") == .value("3, 1"))
    #expect(ask?.answer(forText: "1,2") == nil)
  }

  @Test("a text that the server would take for a choice is sent so that it takes it for a text")
  func partOfALabel() {
    #expect(Self.answer("no", to: ["Yes, run it now", "Later"]) == .value("\"no\""))
    // A label that a choice before it contains.
    #expect(Self.answer("No", to: ["Yes, run it now", "No"]) == .value("\"No\""))
    #expect(Self.answer("2", to: ["Yes, run it now", "No"]) == .value("\"No\""))
    // Nothing remains that the server would pass on.
    #expect(Self.answer("no", to: ["say \"no\"", "Later"]) == nil)
    #expect(Self.answer("2", to: ["say \"no\"", "no"]) == nil)
  }

  @Test("several choices are sent as a text that is none of the other choices")
  func several() {
    let question = UserQuestion.sample(
      "ask",
      [
        "questions": [
          ["id": "a", "question": "?", "multiSelect": true, "options": ["x", "y", "x, y"]]
        ]
      ]
    )
    let shown = ShownQuestion(question, answered: [:])
    #expect(shown?.answer(choosing: [0, 1]) == .value("\"x, y\""))
    #expect(shown?.answer(choosing: [0, 2]) == .value("x, x, y"))
  }

  @Test("the title and the message of an ask are shown with each of its parts")
  func headings() {
    let question = Self.ask(["Yes"], ["title": "Delete all", "message": "For ever"])
    let texts: [[String]?] = [
      ShownQuestion(question, answered: [:])?.lines(width: 80).map(\.plain),
      ShownQuestion(question, answered: [:])?.spokenLines(width: 80).map(\.plain),
      RequestText.rows(of: .question(question), width: 80).map(\.plain),
    ]
    for lines in texts {
      let text = (lines ?? []).joined(separator: "\n")
      for word in ["Delete all", "For ever", "Run it?"] { #expect(text.contains(word), "\(text)") }
    }
  }
}
