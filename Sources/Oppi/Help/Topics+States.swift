// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

extension Topics {
  static let states = HelpTopic(
    name: "states",
    summary: "The states of sessions and the outcomes of turns",
    body: """
      Every list, bar, menu and screen uses these words for the state of a session, the most urgent \
      first:

      \(SessionPhase.table)

      A session that waits is never shown as running, and neither are its tool calls. The status of \
      'oppi status' is the state of the most urgent session; offline means that no server has answered \
      for 5 minutes.

      The last turn of a session has an outcome:

        finished  the agent answered; marked with a check mark
        empty     the turn ended without an answer
        failed    the model or the agent failed
        limited   a usage limit was reached
        stopped   the turn was stopped, or its session ended
        unknown   the end was not seen, and no other source shows the outcome

      In JSON, phase has the state of a session. The member state is older: of a session it is done \
      instead of ended, and of 'oppi ask', 'oppi show' and 'oppi follow' it is the outcome of the turn, \
      or waiting or running. The member status of 'oppi status' is awaitingApproval or awaitingAnswer \
      for waiting, error for failed, processing for running, and completed for an idle session whose \
      turn finished in the last 15 minutes. 'oppi sessions --state done' is the same as --state ended.
      """
  )
}

extension SessionPhase {
  /// Each word with its meaning, one per line, for a page of help.
  static var table: String {
    allCases.map { phase in
      "  \(phase.word)\(String(repeating: " ", count: 10 - phase.word.count))\(phase.meaning)"
    }
    .joined(separator: "\n")
  }
}
