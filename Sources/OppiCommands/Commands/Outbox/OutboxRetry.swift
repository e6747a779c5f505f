// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi outbox retry`.
enum OutboxRetry {
  static let command: Command = Command(
    "retry",
    "Send a prompt again that failed, expired or is unknown",
    discussion: """
      It is sent as a new prompt, into a new session where it was for one: one that is unknown may \
      run a second time. Look at its session first. What still waits is tried by 'oppi outbox \
      flush'.
      """,
    exitStatuses: [0, 1, 6, 64, 65, 66, 69, 74, 75, 76, 77, 78],
    members: FlushLine.shape.rows,
    positional: Outbox.key,
    run: run
  )

  static func run(_ key: OutboxKey, in context: Context) async throws -> Report {
    let outbox = EditOutbox(in: context.intents)
    let step = try await outbox.retry(try outbox.existing(key).key)
    let line = FlushLine(step: step, now: context.now())
    try await context.console.print(line.report)
    return .end(failure: line.failure)
  }
}
