// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import TestSupport
import Testing

@testable import Oppi

@Suite struct SessionMarkTests {
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
