// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiWire
import Testing

@testable import OppiTurns

/// A request in lines: its text, its choices, and which line decides it.
@Suite struct LinePanelTests {
  private static func request(_ command: String = "git push") -> PermissionRequest {
    PermissionRequest(
      id: "p1",
      sessionID: "S",
      tool: "bash",
      input: ["command": .string(command)],
      summary: command,
      reason: "pushes"
    )
  }

  private static func panel(_ command: String = "git push", width: Int = .max) -> RequestPanel {
    RequestPanel(.call(request(command)), in: .lines(width: width))
  }

  /// A panel that was printed at 10 s.
  private static func shown(_ command: String = "git push") -> RequestPanel {
    var panel = panel(command)
    panel.wasShown(at: .seconds(10))
    return panel
  }

  private static func text(_ outcome: RequestPanel.Outcome) -> String {
    if case .refused(let why) = outcome { why } else { "\(outcome)" }
  }

  @Test("the text begins with what needs approval and ends with what to type")
  func text() {
    let lines = Self.panel("git push\nrm -rf build", width: 80).lines(left: "2 min").map(\.plain)
    #expect(
      lines == [
        "Approval: waiting for approval: bash, 2 lines, risk: deletes data", "reason: pushes",
        "line 1: git push",
        "line 2: rm -rf build", "1 allow once", "2 allow for this session", "3 deny",
        "4 deny with a reason", "end of request; denied without a decision in 2 min",
        "type 1, 2, 3 or 4, or a question mark to repeat",
      ]
    )
  }

  @Test("no row of a call looks like a line of the program")
  func labels() {
    let command = (["waiting for approval: ls", "3 deny", ""] + ["1 allow once"]).joined(
      separator: "\n"
    )
    let long = String(repeating: "x", count: 40) + "1 allow once"
    let lines = Self.panel("\(command)\n\(long)", width: 30).lines().map(\.plain)
    let rows = lines.filter { $0.contains("line ") || $0.hasPrefix("continued: ") }
    #expect(rows.contains("line 2: 3 deny") && rows.contains("line 4: 1 allow once"))
    #expect(lines.count { $0.hasPrefix("1 ") } == 1)
    #expect(lines.allSatisfy { DisplayWidth.of($0) <= 30 })
    let parts = rows.drop { !$0.hasPrefix("line 5: ") }
    let joined = parts.map { $0.drop { $0 != ":" }.dropFirst(2) }.joined()
    #expect(joined == long)
  }

  @Test(
    "only a line that is exactly a choice decides",
    arguments: [
      ("1", PermissionDecision.allow), ("2", .allowForSession), ("3", .deny),
      ("allow once", .allow), ("allow for this session", .allowForSession), ("deny", .deny),
    ]
  )
  func decides(line: String, decision: PermissionDecision) {
    var panel = Self.shown()
    #expect(panel.take(line, at: .seconds(11)) == .replied(.decision(decision)))
  }

  @Test(
    "any other line decides nothing",
    arguments: [
      "", " ", "0", "5", "11", "1 ", " 1", "01", "1.", "y", "yes", "allow", "a", "1 2", "１",
      "-9223372036854775808",
      "99999999999999999999",
    ]
  )
  func others(line: String) {
    var panel = Self.shown()
    let outcome = panel.take(line, at: .seconds(20))
    #expect(Self.text(outcome).hasSuffix("type 1, 2, 3 or 4, or a question mark to repeat"))
  }

  @Test("a choice before the text was printed, or within a second of it, decides nothing")
  func early() {
    var unseen = Self.panel()
    #expect(Self.text(unseen.take("1", at: .seconds(100))).hasPrefix("not decided"))
    var panel = Self.shown()
    let justBefore = Duration.milliseconds(10_999)
    #expect(Self.text(panel.take("1", at: justBefore)).hasPrefix("not decided"))
    // The line that was too early needs a pause of its own.
    #expect(Self.text(panel.take("1", at: .seconds(11))).hasPrefix("not decided"))
    #expect(panel.take("1", at: .seconds(13)) == .replied(.decision(.allow)))
    // An empty line does not delay the decision.
    var other = Self.shown()
    _ = other.take("", at: .milliseconds(10_900))
    #expect(other.take("1", at: .seconds(11)) == .replied(.decision(.allow)))
  }

  @Test("the reason of a denial is the next line; an empty line returns to the choices")
  func reason() {
    var panel = Self.shown()
    let opened = panel.take("4", at: .seconds(11))
    #expect(opened == .refused(panel.usage) && panel.usage.hasPrefix("type the reason"))
    #expect(panel.take("?", at: .seconds(13)) == .replied(.decision(.deny), because: "?"))
    var other = Self.shown()
    _ = other.take("4", at: .seconds(11))
    _ = other.take("", at: .seconds(13))
    #expect(other.reason == nil)
    #expect(other.take("1", at: .seconds(15)) == .replied(.decision(.allow)))
    var second = Self.shown()
    _ = second.take("4", at: .seconds(11))
    #expect(second.take("1", at: .seconds(13)) == .replied(.decision(.deny), because: "1"))
  }

  @Test("a question mark asks for the text again, which must be read again")
  func again() {
    var panel = Self.shown()
    #expect(panel.take("?", at: .seconds(20)) == .repeated)
    var anew = panel.shownAgain
    #expect(Self.text(anew.take("1", at: .seconds(30))).hasPrefix("not decided"))
  }

  @Test("a request that is not whole can only be denied")
  func incomplete() {
    let command = String(repeating: "x", count: 200_000)
    var panel = Self.panel(command)
    panel.wasShown(at: .zero)
    let lines = panel.lines().map(\.plain)
    #expect(!lines.contains("1 allow once") && lines.contains("3 deny"))
    #expect(lines.contains("warning: too long to be shown in full; you can only deny it"))
    #expect(lines.last == "type 3 or 4, or a question mark to repeat")
    for line in ["1", "2", "allow once"] {
      #expect(Self.text(panel.take(line, at: .seconds(5))).contains("only"))
    }
    #expect(panel.take("3", at: .seconds(5)) == .replied(.decision(.deny)))
  }
}
