// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi outbox list`.
enum OutboxList {
  struct Options: Sendable, Equatable {
    var isComplete = false
  }

  static let command: Command = Command(
    "list",
    "List what waits, and what needs a look",
    discussion: """
      A prompt is in one of these states:

        outbox     nothing has left; it is tried again when its server is back
        checking   it left and was lost on its way; the server is asked about it
        failed     the server or the agent refused it; it did not run
        expired    it was not delivered within --expires; it was not sent
        unknown    whether it ran cannot be learned; it is not sent again by itself
        delivered  the server has it; --all shows the last 30 days

      What failed, expired or is unknown stays until 'oppi outbox retry' or 'oppi outbox drop'.

      In a pipe each line has, with tabs between them: key, state, place, session, when it was kept, \
      when it is too late, why it is not delivered, and the prompt.
      """,
    examples: [
      CommandExample("oppi outbox", "What waits"),
      CommandExample("oppi outbox | awk '$2 == \"unknown\"'", "What is in doubt"),
    ],
    members: shape.rows,
    options: Options(),
    arguments: [.flag("all", \.isComplete, "Also the keys of what was delivered")],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    var rows: [QueuedPromptRow] = []
    var damages: [OppiError] = []
    let now = context.now()
    let only = context.serverChoice == nil ? nil : try context.servers().first?.id
    for key in try context.outbox.keys() {
      do {
        guard var prompt = try context.outbox.load(key) else { continue }
        // It is said before anybody writes it down.
        prompt.expire(at: now)
        guard only == nil || only == prompt.target.serverID else { continue }
        guard options.isComplete || !prompt.state.isDelivered || !prompt.isDone else { continue }
        rows.append(QueuedPromptRow(prompt: prompt, now: now))
      } catch {
        damages.append(OppiError(error))
      }
    }
    rows.sort { ($0.prompt.createdAt, $0.prompt.key) < ($1.prompt.createdAt, $1.prompt.key) }
    let found = rows
    return Report(
      shape.document(of: found),
      .table { QueuedPromptRow.table(of: found) },
      pipe: .table { QueuedPromptRow.pipeTable(of: found) },
      status: found.isEmpty && damages.isEmpty ? "the outbox is empty" : nil,
      notes: damages.dropFirst().map { .warning($0.message) },
      failure: damages.first
    )
  }

  private static let shape: JSONShape<[QueuedPromptRow]> = [
    .list("prompts", "What is in the outbox, oldest first", QueuedPromptRow.shape) { $0 }
  ]
}
