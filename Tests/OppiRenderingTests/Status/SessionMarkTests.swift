// SPDX-License-Identifier: MIT

import OppiModel
import TestSupport
import Testing

@testable import OppiRendering

@Suite struct SessionMarkTests {
  private static let ends: [TurnEnd?] = TurnEnd.allCases.map { $0 } + [nil]

  @Test(
    "a check mark stands only for an idle session whose last turn is known to have finished",
    arguments: SessionPhase.allCases,
    ends
  )
  func checkMark(phase: SessionPhase, end: TurnEnd?) {
    let session = SessionStatus.sample("a", phase, turn: TurnSummary(end: end))
    let mark = StatusMark(session)
    #expect((mark.symbol == "✓") == (phase == .idle && end == .finished))
    #expect((mark.style == .success) == (mark.symbol == "✓"))
    #expect(mark.word == phase.rawValue)
  }

  @Test("a session of which nothing is known has a neutral mark")
  func unknown() {
    var session = SessionStatus.sample("a", .idle)
    for count in 0...1 {
      session.messageCount = count
      #expect(StatusMark(session) == StatusMark("●", "idle"))
    }
  }

  @Test("an agent that is ready has no check mark, as nobody knows what it came to")
  func ready() {
    #expect(StatusMark(Session.Status.ready).symbol == "●")
  }
}
