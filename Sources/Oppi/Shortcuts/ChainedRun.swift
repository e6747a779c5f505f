// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A shortcut that runs after the success of a turn.
enum ChainedRun {
  /// The turn before it.
  struct Predecessor: Sendable, Equatable {
    let answer: String
    let turnID: String

    /// The answer as text for the shortcut's prompt; `nil` if the prompt does not have it.
    func answer(for named: NamedShortcut) -> String? {
      guard named.shortcut.template.names.contains(ShortcutChain.placeholder) else { return nil }
      return answer.safeBlock(limit: ShortcutChain.answerLimit)
    }

    /// The key of a prompt that goes through the outbox, so that it follows the turn at most once.
    func key(for named: NamedShortcut) -> OutboxKey? {
      guard named.shortcut.isQueueing else { return nil }
      return OutboxKey(digestOf: ["then", turnID, named.name.text])
    }
  }
}

extension Report {
  /// After a successful turn, prints the report and runs the next shortcut of the chain.
  ///
  /// Returns the report of the last one. If the program ends between two turns, the second is not
  /// sent.
  func continued(by next: ShortcutName?, in context: Context) async throws -> Report {
    guard let next, failure == nil, let answer else { return self }
    do {
      try await context.console.print(self)
    } catch is ReaderGone {}
    await context.console.status(StyledText("then \(next.text)"))
    var options = Run.Options()
    options.after = ChainedRun.Predecessor(answer: answer.text, turnID: answer.turnID)
    var report = try await Run.fire(options, named: next, in: context)
    report.result = result.map { $0.followed(by: report.result) } ?? report.result
    return report
  }

  /// The report of a run whose condition is not met.
  static func skipped(because reason: String) -> Report {
    var report = Report(
      [
        "state": .string(ScheduleRun.State.skipped),
        "reason": ["code": "condition", "message": .string(reason)],
      ],
      status: StyledText("skipped: \(reason)")
    )
    report.result = RunResult(state: ScheduleRun.State.skipped)
    return report
  }
}
