// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi outbox drop`.
enum OutboxDrop {
  struct Options: Sendable, Equatable {
    var keys: [OutboxKey] = []
    var isClearing = false
  }

  static let command: Command = Command(
    "drop",
    "Forget prompts, which are not sent then",
    discussion: """
      What was sent already is not taken back: see 'oppi stop'. A prompt that is being delivered at \
      this moment is not dropped.
      """,
    examples: [
      CommandExample("oppi outbox drop --done", "Forget what failed, expired or is unknown")
    ],
    exitStatuses: [0, 64, 65, 66, 74, 75, 78],
    members: shape.rows,
    options: Options(),
    arguments: [
      .flag("done", \.isClearing, "All that failed, expired or is unknown"),
      .positional("key", completion: .dynamic("outbox"), \.keys, "The prompts' keys"),
    ],
    validate: { (options) throws(UsageError) in
      guard options.isClearing == options.keys.isEmpty else {
        throw UsageError(.custom("name the prompts by their keys, or give --done"))
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
    let notes = damaged.map { "\($0) made no sense, and is removed" }
    return Report(
      shape.document(of: rows),
      status: StyledText(count == 1 ? "dropped 1 prompt" : "dropped \(count) prompts"),
      notes: (notes + failures.dropFirst().map(\.message)).map { .warning($0) },
      failure: failures.first
    )
  }

  private static let shape: JSONShape<[QueuedPromptRow]> = [
    .list("dropped", "The prompts that were forgotten", QueuedPromptRow.shape) { $0 }
  ]
}
