// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering

enum OutboxShow {
  static let command: Command = Command(
    "show",
    "Show the full text and state of a prompt",
    exitStatuses: [0, 64, 66, 74, 78],
    members: QueuedPromptRow.shape.rows,
    positional: Outbox.key,
    run: run
  )

  static func run(_ key: OutboxKey, in context: Context) async throws -> Report {
    var prompt = try EditOutbox(in: context.intents).existing(key)
    prompt.expire(at: context.now())
    let row = QueuedPromptRow(prompt: prompt, now: context.now())
    let head = fields(of: row)
    let text = prompt.content.text.safeBlock()
    return Report(
      row.document,
      .page {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return head
          + (text.isEmpty ? [] : [StyledText("")] + lines.map { StyledText(String($0)) })
      }
    )
  }

  /// Its fields, one per line.
  private static func fields(of row: QueuedPromptRow) -> [StyledText] {
    let prompt = row.prompt
    let images = prompt.content.images.count
    let fields: [(String, StyledText)] = [
      ("key", StyledText(prompt.key.text, .name)), ("state", row.stateText),
      ("to", StyledText(row.place)), ("session", StyledText(row.session)),
      ("queued", StyledText(prompt.createdAt.iso8601)),
      ("expires", StyledText(prompt.expiresAt?.iso8601 ?? "")),
      ("attempts", StyledText(prompt.attempts == 0 ? "" : String(prompt.attempts))),
      ("retry", StyledText(prompt.retryAt?.iso8601 ?? "")),
      ("reason", StyledText(prompt.reason?.message ?? "")),
      ("model", StyledText(prompt.content.model ?? "")),
      ("thinking", StyledText(prompt.content.thinking?.rawValue ?? "")),
      ("images", StyledText(images == 0 ? "" : String(images))),
    ]
    return fields.filter { !$0.1.plain.isEmpty }.map { label, value in
      let padding = String(repeating: " ", count: 10 - label.count)
      return StyledText(label + padding, .dim).with(value)
    }
  }
}
