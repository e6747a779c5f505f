// SPDX-License-Identifier: MIT

import FakeServer
import OppiText

/// A prompt for the outbox, with the outcomes of the programs that were run with it.
struct QueuedAsk: Sendable {
  var prompt: String
  var key: String?
  var outcomes: [Program.Outcome] = []
}

/// Compares the reported results of an outbox prompt with what its server received.
struct OutboxCheck {
  let world: World
  let server: VirtualServer
  /// The entries of the outbox at the end.
  let left: [JSONValue]

  func check(_ asked: QueuedAsk) {
    let runs = server.runs.filter { $0.text == asked.prompt }
    let isReceived = server.wasSent(asked.prompt)
    world.check(runs.count <= 1, "\(asked.prompt) ran \(runs.count) times")
    let entry = left.first { entry in
      entry["prompt"].string == asked.prompt || asked.key != nil && entry["key"].string == asked.key
    }
    let state = entry?["state"].string
    world.mark("left \(state ?? "nothing")")
    if !asked.outcomes.contains(where: { $0.status == 6 }) {
      world.count(Tally(isUnknown: state == "unknown"))
    }
    switch state {
    case "failed", "expired":
      world.check(runs.isEmpty, "\(asked.prompt) \(state ?? ""), but it ran")
    case "delivered": world.check(isReceived, "\(asked.prompt) delivered, but never received")
    default: break
    }
    for outcome in asked.outcomes {
      check(outcome, of: asked, state, isReceived, runs.count)
    }
  }

  /// Checks that the result reported to the user is true.
  private func check(
    _ outcome: Program.Outcome,
    of asked: QueuedAsk,
    _ state: String?,
    _ isReceived: Bool,
    _ runs: Int
  ) {
    guard let status = outcome.status else { return }
    world.mark("status \(status)")
    let json = outcome.documents.first
    switch status {
    case 0 where json?["sessionId"].string != nil:
      world.check(isReceived, "\(asked.prompt) \(json?["state"].text() ?? ""), but never received")
    case 0:
      // The prompt was queued: by now it is delivered, or reported as not delivered.
      world.mark("kept")
      let isTold = ["expired", "failed", "unknown"].contains(state)
      world.check(isReceived || isTold, "\(asked.prompt) was queued and lost")
    case 6: break
    case 5: world.check(runs == 0, "\(asked.prompt) was too late, but it ran")
    case 69, 74, 75, 76, 77, 78:
      let isAskedAgain = asked.outcomes.count > 1
      world.check(runs == 0 || isAskedAgain, "status \(status), but it ran")
    default: world.check(false, "status \(status): \(outcome.errors)")
    }
  }
}

/// Checks the order in which one flush tries prompts.
struct FlushCheck {
  let world: World

  /// Checks that a flush tries no other prompt for a new session in a full workspace.
  func check(_ outcome: Program.Outcome) {
    var full: Set<String> = []
    for line in outcome.documents {
      let prompt = line["prompt"]
      // A prompt that continues a shortcut's session needs no room for a new session.
      // An expired prompt is settled without a request.
      guard !["session-ended", "expired"].contains(line["type"].string),
        prompt["shortcut"] == .null,
        let workspace = prompt["workspace"]["id"].string
      else { continue }
      world.check(
        !full.contains(workspace),
        "\(line["key"].text()) was tried in \(workspace), which had just no room"
      )
      guard prompt["reason"]["code"] == "no-room" else { continue }
      world.mark("no room")
      full.insert(workspace)
    }
  }
}
