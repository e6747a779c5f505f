// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum OutboxDrop {
  struct Options: Sendable, Equatable {
    var keys: [OutboxKey] = []
    var isClearing = false
  }

  static let command: Command = Command(
    "drop",
    "Remove prompts from the outbox without sending them",
    discussion: """
      A prompt that was already sent is not recalled: see 'oppi stop'. A prompt that is being \
      delivered is not dropped.
      """,
    examples: [
      CommandExample("oppi outbox drop --done", "Drop failed, expired and unknown prompts")
    ],
    exitStatuses: [0, 64, 65, 66, 74, 75, 78],
    members: shape.rows,
    options: Options(),
    arguments: [
      .flag("done", \.isClearing, "Drop all failed, expired and unknown prompts"),
      .positional("key", completion: .dynamic("outbox"), \.keys, "The prompts' keys"),
    ],
    validate: { (options) throws(UsageError) in
      guard options.isClearing == options.keys.isEmpty else {
        throw UsageError(.custom("give the keys of prompts, or --done"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let outbox = EditOutbox(in: context.intents)
    var dropped: [QueuedPromptRow] = []
    var (failures, damaged): ([OppiError], [OutboxKey]) = ([], [])
    let keys = options.isClearing ? try context.outbox.keys() : options.keys
    for key in keys {
      do {
        guard let prompt = try await outbox.drop(key, onlyIfFailed: options.isClearing) else {
          if !options.isClearing { damaged.append(key) }
          continue
        }
        dropped.append(QueuedPromptRow(prompt: prompt, now: context.now()))
      } catch {
        failures.append(OppiError(error))
      }
    }
    let (rows, count) = (dropped, dropped.count + damaged.count)
    let notes = damaged.map { "\($0) was damaged and is removed" }
    return Report(
      shape.document(of: rows),
      status: StyledText("dropped \(count.counted("prompt"))"),
      notes: (notes + failures.dropFirst().map(\.message)).map { .warning($0) },
      failure: failures.first
    )
  }

  private static let shape: JSONShape<[QueuedPromptRow]> = [
    .list("dropped", "The dropped prompts", QueuedPromptRow.shape) { $0 }
  ]
}
