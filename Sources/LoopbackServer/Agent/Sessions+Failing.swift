// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
  private static let maxAttempts = 3

  /// Fails in place of a message.
  func fail(thinking: String, error: String, _ turn: Turn) async throws(Interrupted) {
    beginTurn(turn)
    try await stream("thinking_delta", thinking, turn)
    emitError(error, from: turn.session)
    turn.session.say(thinking: thinking, text: "")
    endMessage("", turn)
    endTurn(turn)
  }

  /// Ends the run as if it were over, and begins another one after a pause.
  func retry(after error: String, attempt: Int, _ turn: Turn) async throws(Interrupted) {
    emit("agent_end", from: turn.session)
    turn.session.status = .ready
    emitState(turn.session)
    let delay = configuration.retryDelay ?? configuration.pace
    emit(
      "retry_start",
      [
        "attempt": .number(attempt),
        "maxAttempts": .number(Self.maxAttempts),
        "delayMs": .number(delay.milliseconds),
        "errorMessage": .string(error),
      ],
      from: turn.session
    )
    let pause = Promise<Run.PauseEnd>()
    turn.run.pause = pause
    let end = await wait(for: pause, atMost: delay)
    turn.run.pause = nil
    switch end {
    case .superseded: throw Interrupted(place: .superseded)
    case .aborted: throw Interrupted(place: .pause)
    case nil: try checkStop(turn)
    }
    beginAgent(turn)
  }

  /// Tells that no attempt was any better.
  func emitEnd(ofRetries failure: (error: String, attempt: Int), _ session: LiveSession) {
    emit(
      "retry_end",
      [
        "success": false,
        "attempt": .number(failure.attempt),
        "finalError": .string(failure.error),
      ],
      from: session
    )
  }
}
