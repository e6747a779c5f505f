// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
package import OppiModel
import OppiSystem
import OppiTerminal
package import OppiText
import OppiWire

enum OutboxFlushCommand {
  struct Options: Sendable, Equatable {
    var key: OutboxKey?
    var isDueOnly = false
  }

  static let command: Command = Command(
    "flush",
    "Deliver queued prompts now",
    discussion: """
      Delivers the prompts of each server in order, oldest first, all servers at the same time. \
      If a server is unreachable, its other prompts are left for later. A prompt whose delivery \
      is unknown is first checked on the server. It is resent, with its id, only to an agent \
      that detects a repeat. Several flushes may run at once; each skips the prompts that \
      another flush is delivering. A prompt that waits for the reset of a usage limit is skipped, \
      unless its key is given.

      With --due, for timers, prompts are skipped until their retry pause is over (30 s at first, \
      doubled each time, up to 1 h). It also ends sessions that are to be ended after their turn.

      Prints a line for each prompt: its key, its state, and its session. The status is 0 if no \
      prompt is queued any more, 75 if a prompt is still queued, 6 if a delivery became unknown, \
      and the status of 'oppi ask' if a prompt was refused.
      """,
    examples: [
      ("oppi outbox flush", "Deliver all queued prompts now"),
      ("oppi outbox flush --due -q", "Deliver prompts that are due, from a timer"),
    ],
    exitStatuses: [0, 1, 5, 6, 65, 66, 69, 74, 75, 78],
    members: FlushLine.shape.rows,
    options: Options(),
    arguments: [
      .flag("due", \.isDueOnly, "Deliver only prompts that are due, for timers"),
      .positional("key", completion: .names(of: .outbox), \.key, "Deliver only this prompt"),
    ],
    validate: { (options) throws(UsageError) in
      if options.isDueOnly, options.key != nil {
        throw UsageError(.contradiction("--due cannot be used with KEY"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let choice = try choice(options, in: context)
    let servers = try context.serverStore.load().servers
    let flush = FlushOutbox(servers: servers, context: context.services)
    var count = 0
    var failures: [OppiError] = []
    var readerClosed: (any Error)?
    try await flush.run(choice) { step in
      let line = FlushLine(step: step, at: context.now())
      count += 1
      if let failure = line.failure { failures.append(failure) }
      do {
        try await context.output.print(line.report)
      } catch {
        // Delivery continues without a reader of the output.
        readerClosed = error
      }
    }
    if let readerClosed { throw readerClosed }
    try Task.checkCancellation()
    if count == 0 {
      let isWaiting = try context.services.hasOpenPrompt()
      let status: StyledText = isWaiting ? "no queued prompt is due" : "no queued prompts"
      try await context.output.print(.step(status: status))
    }
    return .end(failure: worst(of: failures))
  }

  private static func choice(
    _ options: Options,
    in context: Context
  ) throws -> FlushOutbox.Choice {
    let key = try options.key.map { try context.outbox.existing($0).key }
    let server = context.serverChoice == nil ? nil : try context.servers().first
    if let key { return .key(key) }
    if let server { return .server(server.id, isDueOnly: options.isDueOnly) }
    return options.isDueOnly ? .due : .all
  }

  /// The failure that sets the exit status.
  private static func worst(of failures: [OppiError]) -> OppiError? {
    let isUnknown = failures.first { $0.code.status == .deliveryUnknown }
    // A refused prompt is more important than a queued one.
    return isUnknown ?? failures.first { $0.code != .stillQueued } ?? failures.first
  }
}

/// The result for one prompt of the outbox, as a line.
package struct FlushLine: Sendable {
  package let step: FlushOutbox.Step
  package let at: Timestamp

  package init(step: FlushOutbox.Step, at: Timestamp) {
    (self.step, self.at) = (step, at)
  }

  /// The type in JSON and in the table.
  var word: String {
    switch step {
    case .tried(let attempt): attempt.prompt.state.word
    case .sessionEnded: "session-ended"
    case .notPaired: "not-paired"
    case .busy: "busy"
    case .unusable(_, let error): error.isDamage ? "damaged" : "unusable"
    }
  }

  /// The result in one line, safe to show, unless it is a failure.
  package var words: String {
    if case .busy(let key) = step { return OppiError.promptBusy(key).message }
    return "prompt \(key): \(word)"
  }

  private var key: OutboxKey {
    switch step {
    case .tried(let attempt): attempt.prompt.key
    case .sessionEnded(let prompt), .notPaired(let prompt): prompt.key
    case .busy(let key), .unusable(let key, _): key
    }
  }

  private var prompt: QueuedPrompt? {
    switch step {
    case .tried(let attempt): attempt.prompt
    case .sessionEnded(let prompt), .notPaired(let prompt): prompt
    case .busy, .unusable: nil
    }
  }

  /// Why the prompt was not delivered; `nil` if it was, or if another process is delivering it.
  package var failure: OppiError? {
    switch step {
    case .busy, .sessionEnded: return nil
    case .unusable(_, let error): return OppiError(error)
    case .notPaired(let prompt): return OppiError.noLongerPaired(prompt)
    case .tried(let attempt): return failure(of: attempt)
    }
  }

  private func failure(of attempt: DeliverQueued.Attempt) -> OppiError? {
    let why = attempt.failure.map { OppiError($0) }
    switch attempt.prompt.state {
    case .delivered: return nil
    case .expired: return OppiError.promptExpired(attempt.prompt)
    case .unknown: return OppiError.promptUnknown(attempt.prompt)
    case .failed:
      guard var why else { return nil }
      why.message = "\(key): \(why.message)"
      return why
    case .waiting, .departed, .launched:
      return OppiError(
        .stillQueued,
        "prompt \(key) is still queued\(why.map { ": \($0.message)" } ?? "")",
        hints: why?.hints ?? [],
        details: why?.details ?? [:]
      )
    }
  }

  package var report: Report {
    let session = prompt.map { QueuedPromptRow(prompt: $0, now: at).session } ?? ""
    let table = Table([[StyledText(key.text, .name), StyledText(word), StyledText(session)]])
    return .step([Self.shape.document(of: self)], .table(table))
  }

  static let shape: JSONShape<FlushLine> = [
    .text(
      "type",
      "delivered, outbox (still queued), checking, failed, expired, unknown, session-ended, busy "
        + "(another process has it), not-paired, damaged, or unusable (its file)"
    ) { $0.word },
    .text("at", "The time of this line") { $0.at.iso8601 },
    .text("key", "The prompt's key") { $0.key.text },
    .object("prompt", "The prompt, unless its file cannot be used", QueuedPromptRow.shape) { line in
      line.prompt.map { QueuedPromptRow(prompt: $0, now: line.at) }
    },
  ]
}

extension OppiError {
  /// The server of a queued prompt was forgotten, so that nothing delivers the prompt.
  package static func noLongerPaired(_ prompt: QueuedPrompt) -> OppiError {
    OppiError(
      .notPaired,
      "server \(prompt.target.serverName) of prompt \(prompt.key) is no longer paired",
      hints: ["pair again, or drop the prompt with: oppi outbox drop \(prompt.key)"]
    )
  }
}
