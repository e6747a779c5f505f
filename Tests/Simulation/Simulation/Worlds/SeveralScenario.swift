// SPDX-License-Identifier: MIT

/// A prompt for several workspaces on two servers.
enum SeveralScenario {
  static func play(_ world: World) async throws {
    let first = try await world.addServer(.drawn(in: world, name: "studio"))
    let second = try await world.addServer(.drawn(in: world, name: "cloud"))
    let targets = ["studio/demo", "cloud/demo", "cloud/webapp"].prefix(2 + world.number(below: 2))
    let prompt = "prompt \(world.number(below: 1 << 30))"
    let words = ["ask", "--json"] + targets.flatMap { ["-w", $0] } + ["--", prompt]
    let story = try await AskScenario.perform(words, on: second, in: world)
    try await world.calmDown()
    DeliveryCheck(
      world: world,
      prompt: prompt,
      servers: [first, second],
      targets: targets.count,
      isTroubled: story.isTroubled
    )
    .check(story.outcome, isWaiting: false)
    if story.outcome.status == 0 {
      world.check(
        story.outcome.lines.count == targets.count,
        "status 0 with \(story.outcome.lines.count) of \(targets.count) answers"
      )
    }
  }
}
