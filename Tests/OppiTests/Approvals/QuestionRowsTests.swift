// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import Testing

@testable import Oppi

/// A dialog in full, character by character.
@Suite struct QuestionRowsTests {
  private static func rows(
    _ method: String,
    _ body: JSONValue,
    width: Int = .max
  ) -> [String] {
    let question = UserQuestion(id: "q", method: method, body: body)
    return RequestText.rows(of: .question(question), width: width)
      .map(\.plain)
  }

  @Test("a select has its lines, then its numbered options")
  func select() {
    let rows = Self.rows(
      "select",
      [
        "title": "Run this?\n\n  make  install", "options": ["Yes", "No"],
        "extensionDisplayName": "Gate",
      ]
    )
    #expect(
      rows == [
        "? needs an answer, asked by Gate", "  Run this?", "  ", "    make  install", "  1  Yes",
        "  2  No",
      ]
    )
  }

  @Test("every line of a long title is shown, wrapped and marked")
  func long() {
    let title = (1...30).map { "echo line-\($0)" }.joined(separator: "\n")
    let rows = Self.rows("select", ["title": .string(title), "options": ["Yes"]], width: 10)
    // The first two rows say that an answer is needed.
    let joined = rows.dropFirst(2).reduce(into: [String]()) { lines, row in
      if row.hasPrefix("↪ "), !lines.isEmpty {
        lines[lines.count - 1] += row.dropFirst(2)
      } else {
        lines.append(String(row.dropFirst(2)))
      }
    }
    #expect(joined == (1...30).map { "echo line-\($0)" } + ["1  Yes"])
  }

  @Test("hidden characters of texts and options are escaped and counted")
  func hidden() {
    let rows = Self.rows(
      "select",
      ["title": "echo\u{202E}", "options": ["Yes\u{1B}[8m\u{200B}", "No\nnever"]]
    )
    #expect(rows[1] == "3 hidden characters are shown as \\u{...}")
    #expect(rows.contains(#"  echo\u{202E}"#) && rows.contains(#"  1  Yes\u{1B}[8m\u{200B}"#))
    // The second line of an option does not pass for another one.
    #expect(rows.suffix(2) == ["  2  No", "     never"])
  }

  @Test("an ask has each question with its id and its choices")
  func ask() {
    let rows = Self.rows(
      "ask",
      [
        "questions": [
          [
            "id": "scope", "question": "Which?",
            "options": [["value": "v", "label": "All", "description": "slow"]],
          ],
          ["id": "more", "question": "What else?", "multiSelect": true, "options": ["x"]],
        ]
      ]
    )
    #expect(
      rows == [
        "? needs an answer", "  question 1, id scope:", "  Which?", "  1  All", "     slow",
        "  question 2, id more:", "  What else?", "  1  x", "  several choices are allowed",
      ]
    )
  }

  @Test("an editor has its text, an input its example, and an empty dialog the name of its kind")
  func fields() {
    #expect(
      Self.rows("editor", ["title": "Message", "prefill": "Fix\n\nit"])
        == ["? needs an answer", "  Message", "  current text:", "  Fix", "  ", "  it"]
    )
    #expect(
      Self.rows("input", ["title": "Name", "placeholder": "Ada"])
        == ["? needs an answer", "  Name", "  e.g. Ada"]
    )
    #expect(Self.rows("confirm", .null) == ["? needs approval", "  confirm"])
  }

  @Test("a dialog that is not whole says so")
  func incomplete() {
    let rows = Self.rows("select", ["title": "a", "options": [3]])
    #expect(rows[1] == "too long to be shown in full; you can only cancel it")
  }
}
