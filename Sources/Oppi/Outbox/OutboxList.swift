// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum OutboxList {
  struct Options: Sendable, Equatable {
    var isComplete = false
  }

  static let command: Command = Command(
    "list",
    "List queued prompts and failed deliveries",
    discussion: """
      A prompt is in one of these states:

        outbox     not sent yet; delivery is retried when the server is available
        checking   sent, but not confirmed; the server is being checked
        failed     refused by the server or the agent; it did not run
        expired    not delivered within --expires; it was not sent
        unknown    it may have run; it is not resent automatically
        delivered  the server accepted it; --all shows the last 30 days

      Failed, expired and unknown prompts stay until 'oppi outbox retry' or 'oppi outbox drop'.

      In a pipe each line has, separated by tabs: key, state, server/workspace (or \
      server/session), session, time queued, expiry time, reason, and prompt.
      """,
    examples: [
      CommandExample("oppi outbox", "List queued prompts"),
      CommandExample(
        "oppi outbox | awk '$2 == \"unknown\"'",
        "List prompts whose delivery is unknown"
      ),
    ],
    members: shape.rows,
    options: Options(),
    arguments: [.flag("all", \.isComplete, "Also list delivered prompts")],
    run: run
  )
  .listing("outbox")

  static func run(_ options: Options, in context: Context) async throws -> Report {
    var rows: [QueuedPromptRow] = []
    var damages: [OppiError] = []
    let now = context.now()
    let only = context.serverChoice == nil ? nil : try context.servers().first?.id
    for key in try context.outbox.keys() {
      do {
        guard var prompt = try context.outbox.load(key) else { continue }
        // Shown as expired even before its file records it.
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
    .list(
      "outbox",
      formerly: "prompts",
      "The prompts in the outbox, oldest first",
      QueuedPromptRow.shape
    ) { $0 }
  ]
}
