// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

/// The result for one prompt of the outbox.
struct FlushLine {
  let step: FlushOutbox.Step
  let now: Timestamp

  /// The type in JSON and in the table.
  var word: String {
    switch step {
    case .tried(let attempt): attempt.prompt.stateWord
    case .sessionEnded: "session-ended"
    case .notPaired: "not-paired"
    case .busy: "busy"
    case .damaged: "damaged"
    }
  }

  private var key: OutboxKey {
    switch step {
    case .tried(let attempt): attempt.prompt.key
    case .sessionEnded(let prompt), .notPaired(let prompt): prompt.key
    case .busy(let key), .damaged(let key, _): key
    }
  }

  private var prompt: QueuedPrompt? {
    switch step {
    case .tried(let attempt): attempt.prompt
    case .sessionEnded(let prompt), .notPaired(let prompt): prompt
    case .busy, .damaged: nil
    }
  }

  /// The warning if the result could not be recorded.
  var trouble: String? {
    guard case .tried(let attempt) = step, let error = attempt.trouble else { return nil }
    return "could not record the delivery: \(OppiError(error).message)"
  }

  /// Why the prompt was not delivered; `nil` if it was, or if another process is delivering it.
  var failure: OppiError? {
    switch step {
    case .busy, .sessionEnded: return nil
    case .damaged(_, let error): return OppiError(error)
    case .notPaired(let prompt):
      return OppiError(notPaired: prompt)
    case .tried(let attempt): return failure(of: attempt)
    }
  }

  private func failure(of attempt: DeliverQueued.Attempt) -> OppiError? {
    let prompt = attempt.prompt
    let why = attempt.failure.map { OppiError($0) }
    switch prompt.state {
    case .delivered: return nil
    case .expired: return OppiError(QueueError.expired(prompt))
    case .unknown: return OppiError(QueueError.unknown(prompt))
    case .failed:
      return why.map { error in
        var named = error
        named.message = "\(key): \(error.message)"
        return named
      }
    case .waiting, .departed, .launched:
      return OppiError(stillQueued: key, because: why)
    }
  }

  var report: Report {
    let session = prompt.map { QueuedPromptRow(prompt: $0, now: now).session } ?? ""
    let table = Table([[StyledText(key.text, .name), StyledText(word), StyledText(session)]])
    return .step([Self.shape.document(of: self)], .table(table))
  }

  static let shape: JSONShape<FlushLine> = [
    .text(
      "type",
      "delivered, outbox (still queued), checking, failed, expired, unknown, session-ended, busy (another "
        + "process is delivering it), not-paired or damaged"
    ) { $0.word },
    .text("at", "The time of this line") { $0.now.iso8601 },
    .text("key", "The prompt's key") { $0.key.text },
    .object("prompt", "The prompt, unless it is damaged", QueuedPromptRow.shape) { line in
      line.prompt.map { QueuedPromptRow(prompt: $0, now: line.now) }
    },
  ]
}
