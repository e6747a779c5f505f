// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum OutboxRetry {
  static let command: Command = Command(
    "retry",
    "Resend a failed, expired or unknown prompt",
    discussion: """
      The prompt is sent as a new one, in a new session if it was for a new session. A prompt \
      whose delivery is unknown may run a second time: check its session first. To deliver a \
      prompt that is still queued, use 'oppi outbox flush'.
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
