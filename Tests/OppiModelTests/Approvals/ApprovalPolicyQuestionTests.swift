// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import TestSupport
import Testing

/// Which answers are possible on which surface.
@Suite struct ApprovalPolicyQuestionTests {
  private typealias Surface = ApprovalPolicy.Surface
  private typealias Obstacle = ApprovalPolicy.Obstacle

  private static func select(
    _ title: String = "Make it?",
    _ options: [String] = ["Yes", "No"],
    extension name: String = "Gate"
  ) -> UserQuestion {
    UserQuestion.sample(
      "select",
      [
        "title": .string(title), "options": .array(options.map(JSONValue.string)),
        "extensionDisplayName": .string(name),
      ]
    )
  }

  private static let button = Surface.notification(listedRisk: .write)

  private static func obstacle(
    to answer: QuestionAnswer,
    _ question: UserQuestion,
    on surface: Surface
  ) -> Obstacle? {
    ApprovalPolicy.obstacle(to: .answer(answer), .question(question), on: surface)
  }

  private static func labels(_ question: UserQuestion) -> [String] {
    ApprovalPolicy.offers(atAGlanceTo: .question(question)).map(\.label)
  }

  @Test("each surface answers according to the table, and cancels every question")
  func surfaces() {
    let harmless = Self.select()
    let risky = Self.select("Run rm -rf ./build?")
    // Prose, which may be a command.
    let suspect = Self.select("kill the server first?")
    let long = Self.select("a\nb\nc\nd")
    let table: [(Surface, UserQuestion, Obstacle?)] = [
      (.command, harmless, nil), (.command, risky, nil), (.command, long, nil),
      (.panel(isWholeShown: true), long, nil),
      (.panel(isWholeShown: false), harmless, .notAllShown),
      (.menu(listedRisk: .write, callRows: 3, visibleRows: 7), harmless, nil),
      (.menu(listedRisk: .write, callRows: 3, visibleRows: 6), harmless, .notShownInFull),
      (.menu(listedRisk: .write, callRows: 3, visibleRows: nil), harmless, .notShownInFull),
      (.menu(listedRisk: .write, callRows: 3, visibleRows: 7), risky, .highRisk),
      (.menu(listedRisk: .high, callRows: 3, visibleRows: 7), harmless, .highRisk),
      (Self.button, harmless, nil), (Self.button, risky, .highRisk),
      (.menu(listedRisk: .write, callRows: 3, visibleRows: 7), suspect, .highRisk),
      (Self.button, suspect, .highRisk), (.command, suspect, nil),
      (Self.button, long, .notShownInFull),
      (.notification(listedRisk: .destructive), harmless, .highRisk),
    ]
    for (surface, question, obstacle) in table {
      #expect(
        Self.obstacle(to: .value("Yes"), question, on: surface) == obstacle,
        "\(surface) \(question.line)"
      )
      #expect(Self.obstacle(to: .cancelled, question, on: surface) == nil)
    }
  }

  @Test("at a glance, only one of the server's own options is an answer")
  func ownOptions() {
    let question = Self.select()
    for answer in [QuestionAnswer.value("yes"), .value("Maybe"), .confirmed(true)] {
      #expect(
        Self.obstacle(to: answer, question, on: Self.button) == .notShownInFull
      )
    }
    let answers = ApprovalPolicy.offers(atAGlanceTo: .question(question))
    #expect(answers == [.init("Yes", .answer(.value("Yes")))])
    #expect(HumanRequest.question(question).offeredRefusal == .init("No", .answer(.value("No"))))
  }

  @Test(
    "a select has no buttons if a label is long, hidden, doubled, or one of the program's own",
    arguments: [
      ["Yes", "yes"], ["Yes", "Yes"], ["Yes", ""], ["Yes", " No"], ["Yes", "No "],
      ["Yes\u{200B}"], ["\u{2705}"], ["Y\u{435}s"], ["Deny", "Walk"], ["cancel"],
      ["Open it", "OPEN"],
      ["Approve"], ["a", "b", "c", "d", "e"], [String(repeating: "x", count: 41)], [],
    ]
  )
  func unreadable(options: [String]) {
    #expect(Self.labels(Self.select("Make it?", options)).isEmpty)
  }

  @Test("a select whose options have descriptions has no buttons, which do not show them")
  func described() {
    func question(_ note: JSONValue) -> UserQuestion {
      let options: JSONValue = [
        ["value": "a", "label": "Go", "description": note], ["value": "b", "label": "Wait"],
      ]
      return UserQuestion.sample("select", ["title": "Now?", "options": options])
    }
    #expect(Self.labels(question("deletes everything")).isEmpty)
    #expect(Self.labels(question("")) == ["Go", "Wait"])
    #expect(Self.labels(question(.null)) == ["Go", "Wait"])
  }

  @Test(
    "No is possible on every surface, also where Yes is not",
    arguments: ["Run rm -rf /?", "a\nb\nc\nd", "a\u{202E}b", "é", "⚠\u{FE0F} sudo ls"]
  )
  func no(title: String) {
    let question = Self.select(title)
    let surfaces: [Surface] = [
      .command, .panel(isWholeShown: false), Self.button,
      .menu(listedRisk: .high, callRows: 9, visibleRows: nil),
    ]
    for surface in surfaces {
      #expect(Self.obstacle(to: .value("No"), question, on: surface) == nil)
    }
    #expect(Self.obstacle(to: .value("Yes"), question, on: Self.button) != nil)
    #expect(HumanRequest.question(question).offeredRefusal.label == "No")
    #expect(Self.obstacle(to: .value("no"), question, on: Self.button) != nil)
  }

  @Test(
    "No is a refusal only beside a choice that allows",
    arguments: [["No"], ["No", "Later"], ["Yes", "No", "Always"], ["No", "no"], ["Yes", "No "]]
  )
  func other(options: [String]) {
    let question = Self.select("sudo ls", options)
    for option in options {
      #expect(Self.obstacle(to: .value(option), question, on: Self.button) != nil)
    }
    let deceptive = UserQuestion.sample(
      "select",
      ["title": "sudo ls", "options": ["Yes", ["label": "No", "value": "run"]]]
    )
    #expect(Self.obstacle(to: .value("run"), deceptive, on: Self.button) != nil)
  }

  @Test("a select has a button for each of up to four options of up to 40 characters")
  func readable() {
    let long = String(repeating: "x", count: 40)
    #expect(Self.labels(Self.select("Make it?", ["a", "b", "c", long])) == ["a", "b", "c", long])
  }

  @Test(
    "a text is readable at a glance up to three lines and 160 characters of plain ASCII",
    arguments: [
      ("a\nb\nc", true), ("a\nb\nc\nd", false), (String(repeating: "x", count: 160), true),
      (String(repeating: "x", count: 161), false), ("é", false), ("a\u{202E}", false),
      ("a\u{1B}[8m", false), ("", true), ("a\n\n  b\n\nc", true),
      ("⚠\u{FE0F} Run:\n\n  ls\n\nAllow?", true), ("⚠ Run", true), ("🚨 Run", true),
      ("⚠\u{FE0F}Run", false), ("⚠\u{FE0F}\u{FE0F} Run", false), ("⚠ ⚠ Run", false),
      ("Run ⚠", false), ("Run\n⚠ ls", false), ("é Run", false), ("1\u{FE0F} Run", false),
      ("⚠ rm 1\u{FE0F}", false), ("🚀\u{FE0F} Run", false),
    ]
  )
  func glance(title: String, isReadable: Bool) {
    // A question without a text is shown by its kind.
    #expect((ApprovalPolicy.glance(at: .question(Self.select(title))) != nil) == isReadable)
    #expect(ApprovalPolicy.glance(at: .question(Self.select("a", extension: "G\u{430}te"))) == nil)
  }

  @Test(
    "a confirm has one button, and other kinds have none",
    arguments: ["ask", "input", "editor"]
  )
  func kinds(method: String) {
    let confirm = UserQuestion.sample("confirm", ["title": "Go on?"])
    #expect(Self.labels(confirm) == ["Yes"])
    let replies = ApprovalPolicy.offers(atAGlanceTo: .question(confirm)).map(\.reply)
    #expect(replies == [.answer(.confirmed(true))])
    let other = UserQuestion.sample(method, ["title": "Go on?", "options": ["Yes"]])
    #expect(Self.labels(other).isEmpty)
    #expect(
      Self.obstacle(to: .value("Yes"), other, on: Self.button) == .notShownInFull
    )
  }
}
