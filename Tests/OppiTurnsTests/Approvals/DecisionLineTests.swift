// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiTerminal
import Testing

@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// The line about a decision or an answer that stays in a chat.
@Suite struct DecisionLineTests {
  private static let now = Timestamp(milliseconds: 14 * 3_600_000)

  private static func call(_ tool: String, _ command: String) throws -> HumanRequest {
    .permission(
      try #require(
        PermissionRequest(json: [
          "id": "p1", "sessionId": "S", "tool": .string(tool),
          "input": ["command": .string(command)], "displaySummary": .string(command),
        ])
      )
    )
  }

  @Test(
    "the line has a sign, what was decided and on what, and the time",
    arguments: [
      (.decision(.allow), .decided, "✓ allowed once git push"),
      (.decision(.allowForSession), .decided, "✓ allowed for this session git push"),
      (.decision(.deny), .decided, "✗ denied git push"),
      (.decision(.allow), .tooLate, "✗ too late: allow once · git push"),
      (.decision(.allow), .changed, "✗ not sent, the request has changed: git push"),
      (.decision(.deny), .unconfirmed, "? deny, unconfirmed: git push"),
      (.decision(.allow), .unknown, "? allow once, unknown: git push"),
    ] as [(RequestReply, DecisionOutcome, String)]
  )
  func decisions(reply: RequestReply, outcome: DecisionOutcome, text: String) throws {
    let line = reply.line(about: try Self.call("bash", "git push"), outcome, at: Self.now)
    let time = LocalTime.minute(of: Self.now, seenAt: Self.now)
    #expect(line.plain == "\(text) · \(time)")
    #expect(line.pieces.first?.style != .success || outcome == .decided)
  }

  @Test("an answer names what was chosen and the question, but no typed text")
  func answers() throws {
    let question = HumanRequest.question(
      UserQuestion(id: "q", method: "confirm", body: ["title": "Drop it?"])
    )
    for (answer, start) in [
      (QuestionAnswer.confirmed(true), "✓ answered: yes · Drop it?"),
      (.value("secret"), "✓ answered: own text · Drop it?"), (.cancelled, "✗ cancelled Drop it?"),
    ] {
      let line = RequestReply.answer(answer).line(about: question, .decided, at: Self.now)
      #expect(line.plain.hasPrefix(start), "\(line.plain)")
    }
  }

  @Test("the tool is named unless it is bash, and the line is safe and bounded")
  func hostile() throws {
    let long = String(repeating: "x\u{1B}[2J\n", count: 5000)
    let line = RequestReply.decision(.deny)
      .line(about: try Self.call("web\u{202E}", long), .decided, at: Self.now)
    #expect(line.plain.utf8.count < 2000 && !line.plain.contains("\u{1B}"))
    #expect(line.plain.hasPrefix("✗ denied web"))
  }
}
