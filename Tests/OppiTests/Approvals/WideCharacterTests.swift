// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import Oppi
@testable import OppiModel

/// Characters that are wider than a row hide no part of a request.
@Suite struct WideCharacterTests {
  /// A call, a dialog and a text to edit.
  private static func subjects(_ text: String) throws -> [RequestPanel.Subject] {
    let questions = [
      UserQuestion(id: "q", method: "confirm", body: ["title": .string(text)]),
      UserQuestion(id: "q", method: "editor", body: ["title": "Edit", "prefill": .string(text)]),
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

  @Test("a panel shows every character of a request, also at the edge", arguments: 8...20)
  func panel(columns: Int) throws {
    var random = SeededGenerator(seed: UInt64(columns))
    for _ in 0..<10 {
      let text = Self.text(&random)
      for subject in try Self.subjects(text) {
        var panel = RequestPanel(subject)
        panel.fit(columns: columns, rows: 9_000)
        let rows = panel.view().lines.map { $0.truncated(to: columns).plain }
        let isShown = Self.scalars(rows).contains(Self.scalars(RevealedText(text).plain))
        #expect(isShown, "\(text.debugDescription)")
      }
    }
  }

  @Test("every character of a request is printed", arguments: 8...20)
  func lines(columns: Int) throws {
    let label = "continued: ".unicodeScalars
    var random = SeededGenerator(seed: UInt64(columns))
    for _ in 0..<10 {
      let text = Self.text(&random)
      for subject in try Self.subjects(text) {
        let lines = RequestPanel(subject, in: .lines(width: columns)).lines()
        // A mark at the start of a row joins the label's space to one character.
        let parts = lines.map(\.plain.unicodeScalars).map { line in
          String(line.dropFirst(line.starts(with: label) ? label.count : 0))
        }
        let isShown = Self.scalars(parts).contains(Self.scalars(RevealedText(text).plain))
        #expect(isShown, "\(text.debugDescription)")
        // The terminal program folds them again.
        let rows = lines.flatMap { $0.folded(to: columns, indent: 2) }
        #expect(Self.scalars(rows.map(\.plain)) == Self.scalars(lines.map(\.plain)))
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
