// SPDX-License-Identifier: MIT

import FakeServer
import OppiText

/// Compares the reported result of a cell's prompt with what its servers received.
struct PromptCheck {
  /// Phrases that report that a prompt was not delivered.
  private static let denials = ["was not delivered", "nothing was sent"]

  /// The error codes of prompts that never started a turn.
  private static let refusals = ["prompt-refused", "agent-not-started", "no-room"]

  let cell: Cell
  let stage: Stage
  let world: World
  let prompt: String

  private var invocation: Invocation { cell.invocation }
  private var runs: [Journal.Run] { stage.servers.flatMap(\.runs).filter { $0.text == prompt } }
  private var received: Int {
    stage.servers.reduce(0) { $0 + $1.deliveries.count { $0.prompt == prompt } }
  }

  func check(_ outcome: Program.Outcome, _ status: Int32, _ form: Cell.Form) {
    world.check(runs.count <= invocation.targets, "the prompt ran \(runs.count) times")
    let perSession = Dictionary(grouping: runs, by: \.sessionID).values.map(\.count).max() ?? 0
    world.check(perSession <= 1, "the prompt ran \(perSession) times in one session")
    let made = stage.servers.reduce(0) { $0 + $1.launches }
    // The count includes the creation of a session that existed before the command.
    world.check(made <= max(1, invocation.targets), "\(made) sessions were requested")
    if invocation.targets == 1 { check(status, outcome) } else { checkAll(status, outcome) }
    if form == .json {
      let codes = outcome.errorObjects.compactMap(\.["code"].string)
      let isRefused = codes.contains { Self.refusals.contains($0) }
      for document in outcome.documents { check(document, isRefused: isRefused) }
    } else {
      checkWords(outcome, status)
    }
  }

  /// Checks what the exit status guarantees.
  private func check(_ status: Int32, _ outcome: Program.Outcome) {
    let codes = outcome.errorObjects.compactMap(\.["code"].string)
    switch status {
    case 0 where invocation.isQueued && outcome.isKept:
      world.check(runs.isEmpty, "it is queued, but it ran")
    case 0:
      world.check(received > 0, "status 0, but no server received the prompt")
      if cell.strike?.fault.weight != .fatal {
        world.check(runs.count == 1, "status 0, but it never ran")
      }
    case 1 where invocation.isWaiting && codes != ["prompt-refused"]: break
    case 3, 4, 6, 124, 130: break
    default: world.check(runs.isEmpty, "status \(status) means not sent, but it ran")
    }
    let isDenied = Self.denials.contains { outcome.errors.contains($0) }
    world.check(!isDenied || runs.isEmpty, "reported as not sent, but it ran")
  }

  /// Checks what the exit status guarantees for several prompts.
  private func checkAll(_ status: Int32, _ outcome: Program.Outcome) {
    if status == 0, cell.strike?.fault.weight != .fatal {
      world.check(
        runs.count == invocation.targets,
        "status 0, but it ran in \(runs.count) of \(invocation.targets)"
      )
    }
    let told = outcome.lines.count + outcome.errorObjects.count
    let isUnknown = outcome.errors.contains("delivery unknown")
    // A prompt that ran without a report would be sent again by the user.
    if !outcome.errorObjects.isEmpty, status != 130, !isUnknown {
      world.check(runs.count <= outcome.lines.count, "it ran where it is reported as failed")
    }
    world.check(told <= invocation.targets || !outcome.errorObjects.isEmpty, "\(told) reports")
  }

  /// Checks standard output in a run without `--json`.
  private func checkWords(_ outcome: Program.Outcome, _ status: Int32) {
    guard !invocation.isWaiting else {
      world.check(status == 0 || outcome.output.isEmpty, "status \(status) with an answer")
      return
    }
    if status == 0 {
      let isKept = invocation.isQueued && outcome.isKept
      let count = outcome.lines.count
      world.check(isKept || count == invocation.targets, "\(count) answers")
    }
    for line in outcome.lines {
      let session = String(line.prefix { $0 != "\t" })
      check(session, in: line)
    }
  }

  /// Checks what a document guarantees.
  private func check(_ document: JSONValue, isRefused: Bool) {
    let session = document["sessionId"].string ?? "?"
    let ran = runs.contains { $0.sessionID == session }
    switch document["state"].string {
    case "failed" where isRefused: world.check(!ran, "refused in \(session), where it ran")
    case "started", "finished", "failed", "empty":
      world.check(ran, "\(document["state"].text()) in \(session), where it never ran")
    case "outbox" where invocation.isQueued && document["sessionId"] == .null: break
    case "accepted", "queued": check(session, in: document.text())
    case "unknown", "stopped", "waiting": break
    case let state: world.check(false, "unexpected state \(state ?? "?")")
    }
  }

  /// Checks that the prompt was sent to the reported session.
  private func check(_ session: String, in line: String) {
    let isHeard = stage.servers.flatMap(\.deliveries).contains { delivery in
      delivery.prompt == prompt && [session, nil].contains(delivery.sessionID)
    }
    world.check(isHeard, "\(line), but nothing was sent to it")
  }
}

extension Program.Outcome {
  /// Whether no session is reported: the prompt is in the outbox.
  fileprivate var isKept: Bool { lines.isEmpty || documents.first?["sessionId"] == .null }
}
