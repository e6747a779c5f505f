// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiModel

/// The choices of a request in narrow and low windows.
@Suite struct ApprovalPanelSizeTests {
  private static func panel(columns: Int, rows: Int) -> RequestPanel {
    let request = PermissionRequest(
      id: "p1",
      sessionID: "S",
      tool: "bash",
      input: ["command": "git push origin main"],
      summary: "git push origin main"
    )
    var panel = RequestPanel(.call(request))
    panel.fit(columns: columns, rows: rows)
    panel.wasShown(at: .zero)
    panel.wait(at: TypingGate.rest)
    return panel
  }

  private static func lines(_ panel: RequestPanel) -> [String] {
    panel.view().lines.map(\.plain)
  }

  @Test(
    "the choices take as few rows as their order allows",
    arguments: [(80, 1), (70, 2), (40, 2), (39, 3), (30, 3), (29, 4), (20, 4)]
  )
  func rows(columns: Int, count: Int) {
    let choices = Self.lines(Self.panel(columns: columns, rows: 12)).suffix(count)
    #expect(choices.first?.contains("allow once") == true, "\(choices)")
    let words = ["allow once", "allow for this session", "deny", "deny with a reason"]
    #expect(words.allSatisfy { word in choices.contains { $0.contains(word) } }, "\(choices)")
    #expect(choices.allSatisfy { DisplayWidth.of($0) <= max(columns, 25) }, "\(choices)")
  }

  @Test("the cursor stands on the selected choice, in any width", arguments: 10...100)
  func cursor(columns: Int) {
    for (letter, word) in [
      ("a", "allow once"), ("s", "allow for this session"), ("d", "deny"),
      ("r", "deny with a reason"),
    ] {
      var panel = Self.panel(columns: columns, rows: 20)
      _ = panel.take(.text(letter), at: TypingGate.rest * 2)
      let lines = Self.lines(panel)
      let (row, column) = panel.view().cursor ?? (0, 0)
      #expect(lines[row].dropFirst(column).hasPrefix("▸\(letter) \(word)"), "\(lines)")
    }
  }

  @Test("a window without room for a row of the request says so, and approves nothing")
  func tooSmall() {
    var panel = Self.panel(columns: 80, rows: 2)
    #expect(Self.lines(panel).first == "window too small for the request")
    _ = panel.take(.text("a"), at: TypingGate.rest * 2)
    panel.wasShown(at: TypingGate.rest * 2)
    let outcome = panel.take(.enter, at: TypingGate.rest * 4)
    #expect(outcome != .replied(.decision(.allow)))
  }
}
