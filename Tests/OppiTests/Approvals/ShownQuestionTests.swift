// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiModel

/// A question with its choices, and what a typed text answers.
@Suite struct ShownQuestionTests {
  private static func ask(_ labels: [String], _ more: JSONObject = [:]) -> UserQuestion {
    let part: JSONValue = [
      "id": "a", "question": "Run it?", "options": .array(labels.map(JSONValue.string)),
    ]
    return UserQuestion(
      id: "q",
      method: "ask",
      body: .object((["questions": [part]] as JSONObject).adding(more))
    )
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
    let question = UserQuestion(
      id: "q",
      method: "ask",
      body: [
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
