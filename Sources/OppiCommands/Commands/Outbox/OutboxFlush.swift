// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi outbox flush`.
enum OutboxFlush {
  struct Options: Sendable, Equatable {
    var key: OutboxKey?
    var isDueOnly = false
  }

  static let command: Command = Command(
    "flush",
    "Try to deliver what waits",
    discussion: """
      Each server's prompts are tried one after another, oldest first, all servers at the same \
      time; where a server cannot be reached its other prompts are left for later. What left and \
      was lost on its way is asked for first, and sent again only to an agent that is known to \
      remember it, under its id. Several can run at once: what another one is at is left to it.

      With --due, as for a timer, prompts are passed over whose pause (30 s at first, twice as long \
      each time, up to 1 h) is not over. Sessions that are to end with their turn are ended, too.

      A line is printed for each prompt: its key, how it stands now, and its session. The status is 0 \
      where nothing waits any more, 75 where something does, 6 where something became unknown, and \
      what 'oppi ask' has for it where something was refused.
      """,
    examples: [
      CommandExample("oppi outbox flush", "Try everything now"),
      CommandExample("oppi outbox flush --due -q", "What is due, from a timer"),
    ],
    exitStatuses: [0, 1, 5, 6, 65, 66, 69, 74, 75, 78],
    members: stepShape.rows,
    options: Options(),
    arguments: [
      .flag("due", \.isDueOnly, "Only what is due, as a timer wants it"),
      .positional("key", completion: .dynamic("outbox"), \.key, "Only this prompt"),
    ],
    validate: { (options) throws(UsageError) in
      if options.isDueOnly, options.key != nil {
        throw UsageError(.contradiction("a prompt that is named is tried, due or not"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    if let key = options.key { _ = try EditOutbox(in: context.intents).existing(key) }
    let flush = FlushOutbox(
      to: try context.serverStore.load().servers,
      in: context.intents
    )
    var choice: FlushOutbox.Choice = options.isDueOnly ? .due : .all
    if context.serverChoice != nil, let server = try context.servers().first {
      choice = .server(server.id, isDueOnly: options.isDueOnly)
    }
    if let key = options.key { choice = .key(key) }
    let tally = try await run(flush, choice, in: context)
    try Task.checkCancellation()
    guard let worst = tally.worst else {
      if tally.count == 0 { try await context.console.print(.step(status: "nothing waits")) }
      return .end()
    }
    return .end(failure: worst)
  }

  /// Flushes, and prints what comes of each prompt.
  private static func run(
    _ flush: FlushOutbox,
    _ choice: FlushOutbox.Choice,
    in context: Context
  ) async throws -> Tally {
    var tally = Tally()
    var readerGone: (any Error)?
    try await flush.run(choice) { step in
      let line = FlushLine(step: step, now: context.now())
      tally.add(line)
      do {
        try await context.console.print(line.report)
        if let trouble = line.trouble { await context.console.warn(trouble) }
      } catch {
        // The prompts are delivered, whoever reads of it.
        readerGone = error
      }
    }
    if let readerGone { throw readerGone }
    return tally
  }

  static let stepShape = FlushLine.shape

  /// What came of all.
  private struct Tally {
    var count = 0
    private var failures: [OppiError] = []

    mutating func add(_ line: FlushLine) {
      count += 1
      if let failure = line.failure { failures.append(failure) }
    }

    /// What must not hide behind the others.
    var worst: OppiError? {
      let isUnknown = failures.first { $0.code.status == .deliveryUnknown }
      // What only waits is no news beside what was refused.
      return isUnknown ?? failures.first { $0.code != .stillQueued } ?? failures.first
    }
  }
}
