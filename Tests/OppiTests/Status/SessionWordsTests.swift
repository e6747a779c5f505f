// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import TestSupport
import Testing

@testable import Oppi

/// The columns of a session in a list, and its mark.
@Suite struct SessionWordsTests {
  @Test("a session is described by what it waits for, else by how its turn ended")
  func notes() {
    let dialog = UserQuestion(id: "q", method: "input", body: ["title": "Which branch?"])
    let asks = PendingApproval(.question(dialog), clockOffset: .zero)
    let waits = SessionStatus.sample("a", .waiting, approvals: [asks, .sample("r")])
    #expect(waits.note == "approval: make r")
    let asked = SessionStatus.sample("a", .waiting, approvals: [asks])
    #expect(asked.note.hasPrefix("question: ") && asked.note.contains("Which branch?"))
    for (phase, turn, note) in [
      (.idle, TurnSummary(end: .unknown), "outcome unknown"),
      (.done, TurnSummary(end: .unknown), ""), (.idle, TurnSummary(end: .stopped), "stopped"),
      (.failed, TurnSummary(failure: "no credit", end: .failed), "no credit"),
      (.failed, TurnSummary(failure: "429", end: .limited), "usage limit: 429"),
      (.running, TurnSummary(operation: "bash: make"), "bash: make"),
    ] as [(SessionPhase, TurnSummary, String)] {
      #expect(SessionStatus.sample("a", phase, turn: turn).note == note, "\(phase)")
    }
  }

  @Test(
    "a cost is in dollars and cents, rounded, and left out below half a cent",
    arguments: [
      (nil, ""), (0.004, ""), (0.005, "$0.01"), (1.1, "$1.10"), (1.996, "$2.00"),
      (12.05, "$12.05"),
    ] as [(Double?, String)]
  )
  func cost(cost: Double?, text: String) {
    var session = SessionStatus.sample("a", .idle)
    session.cost = cost
    #expect(session.costText == text)
  }

  private static let ends: [TurnEnd?] = TurnEnd.allCases.map { $0 } + [nil]

  @Test(
    "only an idle session whose last turn finished has a check mark",
    arguments: SessionPhase.allCases,
    ends
  )
  func checkMark(phase: SessionPhase, end: TurnEnd?) {
    let session = SessionStatus.sample("a", phase, turn: TurnSummary(end: end))
    let mark = StatusMark(session)
    #expect((mark.symbol == "✓") == (phase == .idle && end == .finished))
    #expect((mark.style == .success) == (mark.symbol == "✓"))
    #expect(mark.word == phase.word)
  }

  @Test("an idle session without a known outcome has a neutral mark")
  func unknown() {
    var session = SessionStatus.sample("a", .idle)
    for count in 0...1 {
      session.messageCount = count
      #expect(StatusMark(session) == StatusMark("●", "idle"))
    }
  }

  @Test("a ready session has no check mark, since its outcome is unknown")
  func ready() {
    #expect(StatusMark(Session.Status.ready).symbol == "●")
  }
}
