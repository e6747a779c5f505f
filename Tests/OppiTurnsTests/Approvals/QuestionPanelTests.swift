// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// When Enter answers a question on a screen.
@Suite struct QuestionPanelTests {
  private static let glance = Duration.milliseconds(250)
  private static let options: JSONValue = ["title": "Go on?", "options": ["Yes", "No"]]
  private static let several: JSONValue = [
    "allowCustom": false,
    "questions": [["id": "a", "question": "?", "multiSelect": true, "options": ["x", "y"]]],
  ]

  /// A panel that was shown, and accepts keys now.
  private static func panel(
    _ method: String,
    _ body: JSONValue,
    rows: Int = 20
  ) throws -> (panel: RequestPanel, now: Duration) {
    let question = UserQuestion.sample(method, body)
    let shown = try #require(ShownQuestion(question, answered: [:], for: .dialogs))
    var panel = RequestPanel(.question(shown))
    panel.fit(columns: 80, rows: rows)
    panel.wasShown(at: .zero)
    panel.wait(at: TypingGate.rest)
    return (panel, TypingGate.rest)
  }

  private static func answer(_ outcome: RequestPanel.Outcome) -> QuestionAnswer? {
    guard case .replied(.answer(let answer), _) = outcome else { return nil }
    return answer
  }

  @Test(
    "Enter answers with what keys selected 250 ms after it was drawn, and not earlier",
    arguments: [
      ("confirm", ["title": "Go on?"], ["y"], .confirmed(true)),
      ("confirm", ["title": "Go on?"], [.down], .confirmed(true)),
      ("select", options, ["1"], .value("Yes")), ("select", options, [.tab], .value("Yes")),
      ("ask", several, ["2"], .choices(["a": .list(["y"])])),
      ("ask", several, [.down, " "], .choices(["a": .list(["x"])])),
    ] as [(String, JSONValue, [Key], QuestionAnswer)]
  )
  func selection(method: String, body: JSONValue, keys: [Key], answer: QuestionAnswer) throws {
    var (panel, now) = try Self.panel(method, body)
    for key in keys { #expect(panel.take(key, at: now) == .taken) }
    let undrawn = panel.take(.enter, at: now + Self.glance)
    guard case .refused(let why) = undrawn else {
      Issue.record("nothing was drawn: \(undrawn)")
      return
    }
    #expect(why.hasSuffix("' is selected; Enter answers"))
    panel.wasShown(at: now)
    now += Self.glance
    #expect(Self.answer(panel.take(.enter, at: now - .milliseconds(1))) == nil)
    #expect(Self.answer(panel.take(.enter, at: now)) == answer)
  }

  @Test("a changed selection must be drawn for 250 ms again")
  func otherSelection() throws {
    var (panel, now) = try Self.panel("ask", Self.several)
    _ = panel.take(.text("1"), at: now)
    panel.wasShown(at: now)
    now += .seconds(5)
    _ = panel.take(.text("2"), at: now)
    panel.wasShown(at: now)
    let early = panel.take(.enter, at: now + .milliseconds(249))
    #expect(early == .refused("2 choices are selected; Enter answers"))
    #expect(Self.answer(panel.take(.enter, at: now + Self.glance)) != nil)
  }

  @Test(
    "a refusal and typed words answer at once",
    arguments: [
      ("confirm", ["title": "Go on?"], ["n"], .cancelled),
      ("select", options, [.up], .cancelled), ("select", options, ["2"], .value("No")),
      ("select", options, ["Yes"], .value("Yes")),
      ("input", ["title": "Name"], ["a", "b"], .value("ab")),
      ("input", ["title": "Number"], ["7"], .value("7")),
    ] as [(String, JSONValue, [Key], QuestionAnswer)]
  )
  func atOnce(method: String, body: JSONValue, keys: [Key], answer: QuestionAnswer) throws {
    var (panel, now) = try Self.panel(method, body)
    for key in keys {
      now += .milliseconds(1)
      #expect(panel.take(key, at: now) == .taken)
    }
    #expect(Self.answer(panel.take(.enter, at: now)) == answer)
  }

  @Test("a choice that its number marks becomes visible")
  func markVisible() throws {
    let options = JSONValue.array((1...9).map { .string("choice \($0)") })
    let text = (1...20).map { "line \($0)" }.joined(separator: "\n")
    let part: JSONValue = [
      "id": "a", "question": .string(text), "multiSelect": true, "options": options,
    ]
    var (panel, now) = try Self.panel(
      "ask",
      ["allowCustom": false, "questions": .array([part])],
      rows: 6
    )
    for number in [9, 1] {
      now += .seconds(1)
      _ = panel.take(.text("\(number)"), at: now)
      panel.fit(columns: 80, rows: 6)
      let lines = panel.view().lines.map(\.plain)
      #expect(lines.contains { $0.contains("[x] \(number)  choice \(number)") }, "\(lines)")
    }
  }
}
