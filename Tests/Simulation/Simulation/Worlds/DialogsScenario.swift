// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiWire

/// Dialogs that several programs answer, that end by themselves or with their agent: the first
/// answer counts, and no program reports another one as its own.
enum DialogsScenario {
  private static let prompts = ["ask confirm", "ask select", "gate", "question", "ask input"]

  static func play(_ world: World) async throws {
    let dialect = world.choose([Dialect.sessionSockets, .deviceKeys])
    var configuration = FakeServer.Configuration.drawn(in: world, name: "studio", dialect)
    configuration.pace = min(configuration.pace, .milliseconds(30))
    configuration.dialogTimeout = world.choose([nil, nil, .seconds(8), .seconds(40)])
    let server = try await world.addServer(configuration)
    let prompt = world.choose(prompts)
    guard let session = await world.session(asking: ["-w", "demo", "--", prompt]) else { return }
    try await world.loop.sleep(for: .seconds(4))
    let faults = world.happens(0.6) ? world.drawNetworkFaults() : .none
    world.set(faults)
    let isRestarting = world.happens(0.2)
    let isStopped = world.happens(0.2)
    let answers = await withTaskGroup(of: Answer?.self) { group in
      for number in 1...(1 + world.number(below: 3)) {
        group.addTask { await answer(number, prompt, session, world) }
      }
      if isRestarting {
        group.addTask {
          await world.restart(server, within: .seconds(20), awayFor: .seconds(20))
          return nil
        }
      }
      if isStopped {
        group.addTask {
          try? await world.loop.sleep(for: world.time(upTo: .seconds(20)))
          _ = await world.program().run(["stop", "--", session])
          return nil
        }
      }
      return await group.reduce(into: [Answer]()) { all, one in if let one { all.append(one) } }
    }
    try await world.calmDown()
    let isEnded = isRestarting || isStopped || configuration.dialogTimeout != nil
    check(answers, server, isTroubled: World.isTroubled(faults), isEnded: isEnded, in: world)
  }

  private struct Answer: Sendable {
    var value: String
    var outcome: Program.Outcome
  }

  private static func answer(
    _ number: Int,
    _ prompt: String,
    _ session: String,
    _ world: World
  ) async -> Answer {
    try? await world.loop.sleep(for: world.time(upTo: world.choose([.seconds(1), .seconds(20)])))
    let value =
      switch prompt {
      case "ask confirm", "gate": world.choose(["Yes", "No"])
      case "ask select": world.choose(["Red", "Green"])
      case "question": world.choose(["1", "2"])
      default: "value \(number)"
      }
    let program = world.program()
    let words = prompt == "question" ? [value, "docs"] : [value]
    let outcome = await program.run(["answer", "--json", "--", session] + words)
    world.checkLeavings(of: program)
    return Answer(value: value, outcome: outcome)
  }

  private static func check(
    _ answers: [Answer],
    _ server: VirtualServer,
    isTroubled: Bool,
    isEnded: Bool,
    in world: World
  ) {
    let isAlone = answers.count == 1 && !isEnded
    // The agent reports the answer that it got.
    let dialogs = Set(server.dialogAnswers.map(\.dialog))
    world.check(dialogs.count <= 1, "\(dialogs.count) dialogs were answered")
    for answer in answers {
      let status = answer.outcome.status ?? -1
      world.mark("answer \(status)")
      world.check(answer.outcome.elapsed <= .seconds(40), "took \(answer.outcome.elapsed)")
      switch status {
      case 0: world.check(!server.dialogAnswers.isEmpty, "answered, but nothing was received")
      case 5, 66: world.check(!isAlone || isTroubled, "status \(status) of the only answer")
      case 6, 69, 75, 76: world.check(isTroubled || isEnded, "status \(status) without a fault")
      default: world.check(false, "status \(status): \(answer.outcome)")
      }
    }
    let accepted = answers.count { $0.outcome.status == 0 }
    world.mark("\(accepted) of \(answers.count) accepted")
    if !isTroubled, !isEnded {
      world.check(accepted == 1, "\(accepted) of \(answers.count) answers were accepted")
    }
  }
}
