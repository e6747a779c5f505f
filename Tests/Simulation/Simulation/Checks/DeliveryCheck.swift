// SPDX-License-Identifier: MIT

import FakeServer
import OppiText

/// Compares the reported result of a prompt with what its servers received.
struct DeliveryCheck {
  /// The maximum time to resolve the target, to connect and to deliver the prompt, with 20 s for a
  /// launch in progress.
  private static let budget = Duration.seconds(46)
  /// The maximum time including the turn, server restarts and the wait for an unreachable server.
  private static let waitingBudget = Duration.seconds(600)

  let world: World
  let prompt: String
  let servers: [VirtualServer]
  /// The number of agents that get the prompt.
  var targets = 1
  /// Whether faults were active.
  let isTroubled: Bool
  /// Whether the agent's turn fails.
  var mustFail = false
  /// Whether the turn may fail if faults were active.
  var mayFail = false
  /// Whether a device may be called revoked by mistake: the disk may have lost the record of its
  /// challenges, or the clock of the server was set, which keeps challenges open or ends tokens.
  var mayBeRefused = false

  private var runs: [Journal.Run] { servers.flatMap(\.runs).filter { $0.text == prompt } }

  /// The answer of the scripted agent.
  private var answer: String {
    prompt.hasPrefix("retry") ? "It worked the second time." : "The command printed: hi"
  }

  private var isReceived: Bool { servers.contains { $0.wasSent(prompt) } }

  func check(_ outcome: Program.Outcome, isWaiting: Bool) {
    world.check(runs.count <= targets, "the prompt ran \(runs.count) times")
    let perSession = Dictionary(grouping: runs, by: \.sessionID).values.map(\.count).max() ?? 0
    world.check(perSession <= 1, "the prompt ran \(perSession) times in one session")
    let places = Set(runs.map(\.sessionID)).count
    world.check(places <= targets, "the prompt ran in \(places) sessions")
    let budget = isWaiting ? Self.waitingBudget : Self.budget
    world.check(outcome.elapsed <= budget, "the program took \(outcome.elapsed)")
    if targets == 1, let status = outcome.status { check(status, outcome) }
    for line in outcome.lines { check(line, of: outcome) }
  }

  /// Checks what the exit status guarantees.
  private func check(_ status: Int32, _ outcome: Program.Outcome) {
    world.mark("status \(status)")
    switch status {
    case 0:
      world.check(isReceived, "status 0, but no server received the prompt")
      world.check(!mustFail, "status 0 of a turn that failed")
    case 1: world.check(mustFail || mayFail, "status 1 of a turn that did not fail")
    case 4: world.check(isTroubled, "stopped without a stop")
    case 6, 124:
      world.check(isTroubled, "status \(status) without a fault")
    case 66: world.check(isTroubled, "status 66 without a fault")
    case 69, 75, 76:
      world.check(runs.isEmpty, "status \(status) means not sent, but it ran")
      world.check(isTroubled, "status \(status) without a fault")
    case 74, 78:
      world.check(runs.isEmpty, "status \(status) means not sent, but it ran")
      world.check(!world.disk.misreadings.isEmpty, "status \(status) without a fault of the disk")
    case 77: world.check(mayBeRefused && runs.isEmpty, "status 77")
    default: world.check(false, "status \(status)")
    }
  }

  /// Checks what a document on standard output guarantees.
  private func check(_ line: String, of outcome: Program.Outcome) {
    guard let json = try? JSONValue(parsing: Array(line.utf8)) else {
      return world.check(false, "invalid JSON: \(line)")
    }
    let session = json["sessionId"].string
    let ran = runs.contains { $0.sessionID == session }
    switch json["state"].string {
    // With another status, the prompt was refused rather than its turn failed.
    case "failed" where outcome.status != 1: break
    case "started", "finished", "failed", "empty":
      world.check(ran, "\(json["state"].text()) in \(session ?? "?"), where it never ran")
      let isRight = json["state"] != "finished" || json["response"].string == answer
      world.check(isRight, "the answer is reported as \(json["response"].text())")
    case "accepted", "queued":
      world.check(isReceived, "\(json["state"].text()), but no server received the prompt")
    case "unknown", "stopped", "waiting": break
    case let state: world.check(false, "unexpected state \(state ?? "?")")
    }
    world.mark("state \(json["state"].string ?? "?")")
  }
}
