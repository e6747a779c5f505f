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
    options: Outbox.OnePrompt(),
    arguments: [Outbox.OnePrompt.argument],
    run: run
  )

  static func run(_ options: Outbox.OnePrompt, in context: Context) async throws -> Report {
    let outbox = context.outbox
    let key = try outbox.existing(options.key).key
    let servers = try context.serverStore.load().servers
    let line = try await outbox.changing(key) { known -> FlushLine in
      var prompt = known
      prompt.expire(at: context.now())
      guard prompt.isDone, !prompt.state.isDelivered else {
        throw OppiError(
          .badInput,
          "the prompt \(key) is \(prompt.stateWord)",
          hints: prompt.isOpen ? ["try it with: oppi outbox flush \(key)"] : []
        )
      }
      guard let server = servers.first(where: { $0.id == prompt.target.serverID }) else {
        return FlushLine(step: .notPaired(prompt), now: context.now())
      }
      prompt.renew(clientTurnID: context.loop.newID(), at: context.now())
      let attempt = try await context.deliverQueued.attempt(prompt, on: server)
      return FlushLine(step: .tried(attempt), now: context.now())
    }
    await line.noteEnd(in: context)
    try await context.console.print(line.report)
    return .end(failure: line.failure)
  }
}
