// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct ServerRefusalTests {
  @Test(
    "the text of a refusal is recognized",
    arguments: [
      ("Session not found: abc", ServerRefusal.sessionNotFound),
      ("Subscribe rate limit exceeded", .subscribeRateLimit),
      ("Workspace session limit reached (3)", .sessionLimit),
      ("Global session limit reached", .sessionLimit),
      ("Agent is already processing. Specify streamingBehavior", .agentBusy),
      ("steer requires an active streaming turn", .noActiveTurn),
      ("Follow-up requires an active streaming terminal turn", .noActiveTurn),
      ("Prompt requires an idle session; use steer or follow_up", .promptNeedsIdle),
      ("Prompt requires an idle terminal session; use steer", .promptNeedsIdle),
      ("Session not active: abc", .sessionNotActive),
      ("clientTurnId conflict: T", .turnIDConflict),
    ]
  )
  func known(words: String, refusal: ServerRefusal) {
    #expect(ServerRefusal(words: words) == refusal)
  }

  @Test(
    "other texts are not recognized",
    arguments: [
      "", "session not found", "The Session not found", "Workspace session limit is 3",
      "The Global session limit reached", "requires an active streaming turn!",
    ]
  )
  func unknown(words: String) {
    #expect(ServerRefusal(words: words) == nil)
  }
}
