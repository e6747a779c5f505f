// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiModel

/// A prompt for the outbox, with the outcomes of the programs that were given it.
struct QueuedAsk: Sendable {
  var prompt: String
  var key: String?
  var outcomes: [Program.Outcome] = []
}

/// Compares what the user was told of a prompt of the outbox with what its server saw.
struct OutboxCheck {
  let world: World
  let server: VirtualServer
  /// What is in the outbox at the end.
  let left: [JSONValue]

  func check(_ asked: QueuedAsk) {
    let runs = server.runs.filter { $0.text == asked.prompt }
    let isReceived = server.messages.contains { $0.json["message"].string == asked.prompt }
    world.check(runs.count <= 1, "\(asked.prompt) ran \(runs.count) times")
    let entry = left.first { entry in
      entry["prompt"].string == asked.prompt || asked.key != nil && entry["key"].string == asked.key
    }
    let state = entry?["state"].string
    world.mark("left \(state ?? "nothing")")
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

  /// What whoever asked was told is true.
  private func check(
    _ outcome: Program.Outcome,
    of asked: QueuedAsk,
    _ state: String?,
    _ isReceived: Bool,
    _ runs: Int
  ) {
    guard let status = outcome.status else { return }
    world.mark("status \(status)")
    let json = outcome.lines.first.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
    switch status {
    case 0 where json?["sessionId"].string != nil:
      world.check(isReceived, "\(asked.prompt) \(json?["state"].text() ?? ""), but never received")
    case 0:
      // It was kept: it is delivered by now, or said not to be.
      world.mark("kept")
      let isTold = ["expired", "failed", "unknown"].contains(state)
      world.check(isReceived || isTold, "\(asked.prompt) was kept and forgotten")
    case 6: break
    case 5: world.check(runs == 0, "\(asked.prompt) came too late, but it ran")
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

  /// Once a workspace has no room, no other prompt for a new session there is tried.
  func check(_ outcome: Program.Outcome) {
    var full: Set<String> = []
    for line in outcome.documents {
      let prompt = line["prompt"]
      // What goes on in a shortcut's session needs no room for another one.
      guard line["type"] != "session-ended", prompt["shortcut"] == .null,
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
