// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiText

enum OutboxEffect: TabEffect {
  case read
  /// Deliver a queued prompt, or query its server for the result.
  case flush(OutboxKey)
  /// Send a prompt as a new one; refused unless it still has the state that the user saw.
  case retry(OutboxKey, seenAs: String)
  /// Remove a prompt that still has the state that the user saw.
  case drop(OutboxKey, seenAs: String)

  var isChange: Bool { self != .read }

  var changesTurns: Bool {
    switch self {
    case .flush, .retry: true
    case .read, .drop: false
    }
  }

  func perform(in console: ConsoleLoop) async {
    do {
      if let note = try await console.change(self) { console.report(.note(note)) }
    } catch {
      console.reportFailure("outbox", error)
    }
    console.readOutbox()
  }
}

/// The prompts of the outbox, and what could not be read, safe to show.
struct OutboxNews: TabNews {
  let items: [OutboxItem]
  var problems: [String] = []
}

extension ConsoleEffect {
  static func outbox(_ effect: OutboxEffect) -> ConsoleEffect { .own(effect) }
}

extension ConsoleNews {
  static func outbox(_ items: [OutboxItem], problems: [String] = []) -> ConsoleNews {
    .own(OutboxNews(items: items, problems: problems))
  }
}

extension ConsoleLoop {
  /// Changes a prompt of the outbox, and returns the notice about it.
  fileprivate func change(_ effect: OutboxEffect) async throws -> String? {
    switch effect {
    case .read: return nil
    case .flush(let key):
      let paired = try context.serverStore.load().servers
      let flush = FlushOutbox(servers: paired, context: context.services)
      var steps: [FlushOutbox.Step] = []
      try await flush.run(.key(key)) { steps.append($0) }
      guard let step = steps.first else { return "prompt \(key) is no longer queued" }
      return try notice(of: step)
    case .retry(let key, let state):
      return try notice(of: await context.services.retryPrompt(key, seenAs: state))
    case .drop(let key, let state):
      let prompt = try await context.services.dropPrompt(
        key,
        onlyIfFailed: false,
        seenAs: state
      )
      return prompt == nil ? "\(key) was damaged and is removed" : "dropped prompt \(key)"
    }
  }

  private func notice(of step: FlushOutbox.Step) throws -> String {
    let line = FlushLine(step: step, at: context.now())
    if let failure = line.failure { throw failure }
    return line.words
  }

  fileprivate func readOutbox() {
    do {
      let (rows, damages) = try context.services.outboxRows()
      let problems = damages.map { $0.message.safeLine(limit: 300) }
      report(.outbox(rows.map(OutboxItem.init), problems: problems))
    } catch {
      report(.outbox([], problems: [OppiError(error).message.safeLine(limit: 300)]))
    }
  }
}

// MARK: - Questions

extension ConsoleChange {
  /// Sends a prompt, or checks whether it arrived; `nil` for a delivered one.
  static func send(_ row: QueuedPromptRow) -> ConsoleChange? {
    let (key, state) = (row.prompt.key, row.prompt.state)
    let retry = ConsoleEffect.outbox(.retry(key, seenAs: state.word))
    switch state {
    case .delivered: return nil
    case .waiting:
      return change(row, "Send this prompt now?", [row.note], "send", .outbox(.flush(key)))
    case .departed, .launched:
      let consequence =
        "It was sent, but not confirmed: its server is queried. It is sent again only to an agent "
        + "that detects a repeat."
      return change(row, "Check this prompt now?", [consequence], "check", .outbox(.flush(key)))
    case .failed, .expired:
      let consequence = "It did not run; it is sent as a new prompt."
      return change(row, "Send this prompt again?", [row.note, consequence], "retry", retry)
    case .unknown:
      let question = "Send this prompt again, although it may run twice?"
      let consequence = "Its delivery is unknown: it may have run. Check its session first."
      return change(row, question, [row.note, consequence], "send again", retry)
    }
  }

  /// Removes a prompt from the outbox; `nil` for a delivered one, whose key stays reserved.
  static func drop(_ row: QueuedPromptRow) -> ConsoleChange? {
    let consequence: String
    switch row.prompt.state {
    case .delivered: return nil
    case .waiting: consequence = "It is not sent."
    case .failed, .expired: consequence = "It did not run, and is not sent again."
    case .departed, .launched, .unknown: consequence = "It may have run; it is not recalled."
    }
    let effect = OutboxEffect.drop(row.prompt.key, seenAs: row.prompt.state.word)
    let question = "Drop this prompt from the outbox?"
    return change(row, question, [consequence], "drop", .outbox(effect))
  }

  private static func change(
    _ row: QueuedPromptRow,
    _ question: String,
    _ consequences: [String],
    _ verb: String,
    _ effect: ConsoleEffect
  ) -> ConsoleChange {
    let prompt = row.prompt.content.text.safeLine(limit: 400)
    return ConsoleChange(
      question: question,
      details: [prompt, "to \(row.place)"] + consequences.filter { !$0.isEmpty },
      verb: verb,
      effects: [effect],
      confirmed: "waiting for confirmation"
    )
  }
}
