// SPDX-License-Identifier: MIT

import FakeServer
import OppiText

/// Flushes the outbox without faults, and checks the reported result of its prompt.
struct QueueCheck {
  let cell: Cell
  let stage: Stage
  let world: World

  func check(_ status: Int32) async {
    guard stage.server.isRunning else { return }
    for _ in 0..<3 { _ = await world.program().run(["outbox", "flush"]) }
    let entry = await world.outbox().first
    let state = entry?["state"].string
    let runs = stage.servers.flatMap(\.runs).count { $0.text == cell.invocation.prompt }
    world.check(runs <= 1, "the prompt ran \(runs) times")
    world.check(state != "outbox" && state != "checking", "still \(state ?? "") without faults")
    switch status {
    case 0, 6, 130:
      let isSettled = runs == 1 || ["unknown", "failed", "delivered"].contains(state)
      world.check(isSettled || status != 0, "it was accepted, but is \(state ?? "gone")")
    default:
      world.check(runs == 0, "status \(status) means not sent, but it ran")
      world.check(entry == nil, "status \(status), but still queued: \(state ?? "")")
    }
  }
}
