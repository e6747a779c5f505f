// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// Characters that are wider than a row, or wider than counted in some terminal, hide no part of a
/// request.
@Suite struct WideCharacterTests {
  /// A call, a dialog and a text to edit.
  private static func subjects(_ text: String) throws -> [RequestPanel.Subject] {
    let questions = [
      UserQuestion.sample("confirm", ["title": .string(text)]),
      UserQuestion.sample("editor", ["title": "Edit", "prefill": .string(text)]),
    ]
    let shown = try questions.map { question in
      try #require(ShownQuestion(question, answered: [:], for: .dialogs))
    }
    return [.call(.call("p", text))] + shown.map(RequestPanel.Subject.question)
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    "echo \(WideText.pieces(&random).joined())\"; rm -rf ./build"
  }

  private static func scalars(_ texts: [String]) -> [Unicode.Scalar] {
    texts.flatMap { $0.unicodeScalars.filter { $0 != " " && $0 != "↪" } }
  }

  @Test("every character of a request is shown and printed, also at the edge", arguments: 8...20)
  func everyCharacter(columns: Int) throws {
    let label = "continued: ".unicodeScalars
    var random = SeededGenerator(seed: UInt64(columns))
    for _ in 0..<10 {
      let text = Self.text(&random)
      let expected = Self.scalars(RevealedText(text).plain)
      for subject in try Self.subjects(text) {
        var panel = RequestPanel(subject)
        panel.fit(columns: columns, rows: 9_000)
        let view = panel.view().lines.map { $0.truncated(to: columns).plain }
        #expect(Self.scalars(view).contains(expected), "\(text.debugDescription)")
        let lines = RequestPanel(subject, in: .lines(width: columns)).lines()
        // A mark at the start of a row joins the label's space to one character.
        let parts = lines.map(\.plain.unicodeScalars).map { line in
          String(line.dropFirst(line.starts(with: label) ? label.count : 0))
        }
        #expect(Self.scalars(parts).contains(expected), "\(text.debugDescription)")
        // The terminal program folds them again.
        let rows = lines.flatMap { $0.folded(to: columns, indent: 2) }
        #expect(Self.scalars(rows.map(\.plain)) == Self.scalars(lines.map(\.plain)))
      }
    }
  }

  /// Each way in which a request shows a text: with labels, marks, prefixes and choices.
  private static func requests(_ text: String) -> [HumanRequest] {
    let option: JSONValue = ["value": "v", "label": .string(text), "description": .string(text)]
    let edit: JSONValue = [
      "path": .string(text), "oldText": .string(text), "newText": .string(text),
      text: .string(text),
    ]
    let part: JSONValue = [
      "id": .string(text), "question": .string(text), "multiSelect": true,
      "options": [option, option],
    ]
    let bodies: [(String, JSONValue)] = [
      ("confirm", ["title": .string("Go on?\n\(text)"), "message": .string(text)]),
      ("select", ["title": .string(text), "options": [.string(text), "No"]]),
      ("input", ["title": .string(text), "placeholder": .string(text)]),
      ("editor", ["title": .string(text), "prefill": .string("\(text)\n\(text)")]),
      ("ask", ["title": .string(text), "questions": [part, part]]),
    ]
    let call = PermissionRequest(id: "p", sessionID: "S", tool: "edit", input: edit, summary: text)
    return [.permission(.call("p", text)), .permission(call)]
      + bodies.map { .question(UserQuestion(id: "q", method: $0, body: $1)) }
  }

  /// All rows of a request in a width, on a screen, in commands and in lines.
  private static func rows(of request: HumanRequest, columns: Int) -> [StyledText] {
    var rows = RequestText.rows(of: request, width: columns)
    var subject: RequestPanel.Subject?
    if let question = request.question {
      guard let shown = ShownQuestion(question, answered: [:], for: .dialogs) else { return rows }
      var panel = RequestPanel(.question(shown))
      panel.fit(columns: columns, rows: 9_000)
      panel.wasShown(at: .zero)
      panel.wait(at: .seconds(2))
      #expect(panel.take(.tab, at: .seconds(2)) == .taken)
      panel.fit(columns: columns, rows: 9_000)
      // Below are the status and the field, whose prompt may be cut.
      let view = panel.view().lines
      let end = view.firstIndex { $0.plain.hasPrefix("ans") } ?? view.count
      rows += view.prefix(max(0, end - 1))
      subject = .question(shown)
    } else if let call = request.permission {
      subject = .call(call)
    }
    let lines = subject.map { RequestPanel($0, in: .lines(width: columns)).lines() } ?? []
    // The terminal program folds them again.
    return rows + lines.flatMap { $0.folded(to: columns, indent: 2) }
  }

  @Test("no terminal draws a row of a request wider than the screen", arguments: 8...160)
  func anyTerminal(columns: Int) {
    var random = SeededGenerator(seed: UInt64(columns))
    let terminals = [.greatest, TerminalWidths.random(seed: UInt64(columns))]
    for request in Self.requests(Self.text(&random)) {
      for row in Self.rows(of: request, columns: columns) {
        let widths = terminals.map { $0.columns(of: row.plain) }
        #expect(widths.allSatisfy { $0 <= columns }, "\(row.plain.debugDescription)")
      }
    }
  }

  @Test("a request in rows too narrow for a wide character can only be refused", arguments: [1, 7])
  func narrow(columns: Int) throws {
    for subject in try Self.subjects("日本").prefix(2) {
      for (width, isWhole) in [(columns, false), (8, true)] {
        var panel = RequestPanel(subject, in: .lines(width: width))
        panel.wasShown(at: .zero)
        var other = panel
        let refusal = subject.request.kind == .permission ? "3" : "/cancel"
        if case .replied = panel.take("1", at: .seconds(2)) {
          #expect(isWhole, "\(width) columns")
        } else {
          #expect(!isWhole, "\(width) columns")
        }
        if case .replied(let reply, _) = other.take(refusal, at: .seconds(2)) {
          #expect(reply.isRefusal)
        } else {
          Issue.record("not refused in \(width) columns")
        }
      }
    }
  }
}
