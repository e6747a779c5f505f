// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiWire
import Testing

@testable import OppiClient

@Suite struct StatusMarkTests {
  @Test(
    "of the states of a call, only those that wait for the user have the style of a warning",
    arguments: [
      (.planned, .dim), (.waiting, .warning), (.running, .accent), (.succeeded, .success),
      (.failed, .error), (.rejected(reason: "no"), .plain), (.unfinished, .unknown),
    ] as [(ToolCallState, Style)]
  )
  func calls(state: ToolCallState, style: Style) {
    #expect(StatusMark(state).style == style)
  }

  @Test(
    "no end of a turn has the style of a warning, and an unknown one its own",
    arguments: [
      (.succeeded(answer: "x"), .success), (.empty, .error), (.failed("x"), .error),
      (.stopped(reason: nil), .plain), (.dropped, .plain), (.unknown(reason: nil), .unknown),
    ] as [(TurnOutcome, Style)]
  )
  func outcomes(outcome: TurnOutcome, style: Style) {
    #expect(StatusMark(outcome).style == style)
  }

  @Test(
    "a session that runs or stops has the accent, and a state that is not known its own style",
    arguments: [
      (.starting, .dim), (.ready, .plain), (.busy, .accent), (.stopping, .accent),
      (.stopped, .dim), (.error, .error), (.unknown("odd"), .unknown),
    ] as [(Session.Status, Style)]
  )
  func sessions(status: Session.Status, style: Style) {
    #expect(StatusMark(status).style == style)
  }
}
