// SPDX-License-Identifier: MIT

import OppiText

/// Runs of a shortcut under random faults, in new sessions or in the same session.
enum RunScenario {
  static func play(_ world: World) async throws {
    let server = try await world.addServer(.drawn(in: world, name: "studio"))
    let isSame = world.happens(0.5)
    let isWaiting = world.happens(0.3)
    var words = ["shortcuts", "add", "task", "-w", "demo", "--session", isSame ? "same" : "new"]
    if isWaiting { words.append("--wait") }
    let added = await world.program().run(words + ["do {{what}}, please"])
    world.check(added.status == 0, "the shortcut was not added: \(added.errors)")
    var known: String?
    var isTroubled = false
    var isClockSet = false
    for _ in 0...(1 + world.number(below: 3)) {
      let value = "value \(world.number(below: 1 << 30))"
      let story = try await AskScenario.perform(
        ["run", "--json", "task", "--var", "what=\(value)"],
        on: server,
        in: world
      )
      isTroubled = isTroubled || story.isTroubled || story.outcome.status == nil
      isClockSet = isClockSet || story.isClockSet
      try await world.calmDown()
      DeliveryCheck(
        world: world,
        prompt: "do \(value), please",
        servers: [server],
        isTroubled: isTroubled,
        mayBeRefused: isClockSet
      )
      .check(story.outcome, isWaiting: isWaiting)
      guard let session = story.outcome.documents.first?["sessionId"].string else { continue }
      // After a successful run, all later runs continue its session.
      if isSame, let known {
        world.mark("goes on")
        world.check(session == known, "a run in \(known), but the next run in \(session)")
      }
      if story.outcome.status == 0 { known = session }
    }
  }
}
