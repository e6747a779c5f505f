// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiText
import OppiWire

/// A turn is followed through cuts and restarts.
enum FollowScenario {
  /// How long a follower tries to connect for the first time.
  private static let firstLimit = Duration.seconds(30)
  /// How long the next turn takes at most, with its events.
  private static let showLimit = Duration.seconds(120)

  /// Prompts, with the number of tool calls and the answer of each turn.
  private static let prompts: [(text: String, calls: Int, answer: String)] = [
    ("two tools", 2, "Both are done."), ("todo", 4, "Everything on the list is done."),
    ("retry", 0, "It worked the second time."), ("nothing special", 1, "The command printed: hi"),
  ]

  static func play(_ world: World) async throws {
    let configuration = drawn(in: world)
    let server = try await world.addServer(configuration)
    let prompt = world.choose(prompts)
    let text = "\(prompt.text) \(world.number(below: 1 << 30))"
    guard let session = await world.session(asking: ["-w", "demo", "--", text]) else { return }
    let faults = world.drawNetworkFaults()
    world.set(faults)
    if world.happens(0.2) { world.jumpClock(within: .seconds(60)) }
    if world.happens(0.3) { world.endTokens(of: server, within: .seconds(60)) }
    let isRestarting = world.happens(0.3)
    let isForever = world.happens(0.3)
    let isStopping = configuration.dialect.stream == .session && world.happens(0.3)
    let program = world.program()
    if isForever { world.expectToStay { await probe(program, in: session, world) } }
    let outcome = await follow(
      session,
      with: program,
      isForever: isForever,
      restarting: isRestarting ? server : nil,
      stopping: isStopping ? server : nil,
      in: world
    )
    world.set(.none)
    guard let outcome else { return }
    world.checkLeavings(of: program)
    // Events that the server has discarded cannot be reported.
    let isTroubled =
      isRestarting || isStopping || World.isTroubled(faults) || configuration.limits.eventRing < 100
    check(
      outcome,
      isForever: isForever,
      isTroubled: isTroubled,
      isRetried: prompt.text == "retry",
      in: world
    )
    // What an agent leaves unfinished can look like an answer in its conversation.
    guard !isRestarting, !isStopping else { return }
    // The last turn of a follower that stays has another prompt.
    let shown = outcome.documents.filter { $0["outcome"] == "finished" }
    for line in isForever ? shown.dropLast() : shown[...] {
      let answer = line["answer"].text()
      world.check(line["answer"].string == prompt.answer, "the answer is reported as \(answer)")
    }
    if outcome.status == 0 { checkCalls(outcome, prompt.calls, in: world) }
  }

  /// A server with short or long turns, and sometimes with a small event ring.
  private static func drawn(in world: World) -> FakeServer.Configuration {
    var configuration = FakeServer.Configuration.drawn(in: world, name: "studio")
    if configuration.dialect.stream != .perSession {
      configuration.pace = world.choose([.milliseconds(50), .seconds(2), .seconds(6)])
    }
    configuration.retryDelay = min(configuration.pace, .seconds(2))
    if world.happens(0.3) { configuration.limits.eventRing = 4 }
    return configuration
  }

  /// Follows to the end or until an interrupt, while the server may restart.
  private static func follow(
    _ session: String,
    with program: Program,
    isForever: Bool,
    restarting server: VirtualServer?,
    stopping agents: VirtualServer?,
    in world: World
  ) async -> Program.Outcome? {
    let words = ["follow", "--json"] + (isForever ? ["--forever"] : []) + ["--", session]
    return await withTaskGroup(of: Program.Outcome?.self) { group in
      group.addTask { await program.run(words) }
      if let server {
        group.addTask {
          await world.restart(server, within: .seconds(60), awayFor: .seconds(100))
          return nil
        }
      }
      if let agents {
        group.addTask {
          await world.restartAgents(of: agents, within: .seconds(60))
          return nil
        }
      }
      if isForever {
        group.addTask {
          try? await world.loop.sleep(for: .seconds(400))
          _ = try? await world.calmDown()
          program.interrupt()
          return nil
        }
      }
      var outcome: Program.Outcome?
      for await ended in group { outcome = ended ?? outcome }
      return outcome
    }
  }

  /// Checks that a follower that is to stay shows the next turn of its session.
  private static func probe(_ program: Program, in session: String, _ world: World) async {
    // Whether it was allowed to end is checked with its outcome.
    guard world.isRunning(program.number) else { return }
    let prompt = "still there \(world.number(below: 1 << 30))"
    let before = program.outputSoFar.count
    let asked = await world.program().run(["ask", "-q", "-s", session, "--", prompt])
    world.check(asked.status == 0, "nothing can be asked without faults: \(asked)")
    try? await world.loop.sleep(for: showLimit)
    let kinds = String(program.outputSoFar.dropFirst(before)).kinds
    let isShown = kinds.contains("turn-started") && kinds.contains("turn-finished")
    world.check(isShown, "the follower does not show the next turn: \(kinds)")
    world.mark("came back")
  }

  /// Checks that a followed turn has all its tool calls that the server still knows.
  private static func checkCalls(_ outcome: Program.Outcome, _ calls: Int, in world: World) {
    let lines = outcome.lines.compactMap { try? JSONValue(parsing: Array($0.utf8)) }
    // Only the end is reported for a turn that ended before the follow began.
    guard let end = lines.last, end["type"] == "turn-finished", end["past"] == .null else { return }
    let shown = lines.count { $0["type"] == "tool-finished" }
    world.mark("calls \(calls)")
    world.check(shown == calls, "\(shown) of \(calls) calls were shown")
  }

  private static func check(
    _ outcome: Program.Outcome,
    isForever: Bool,
    isTroubled: Bool,
    isRetried: Bool,
    in world: World
  ) {
    if isForever {
      // Its first connection failed, its session ended, or the clock of its server was set back,
      // which keeps challenges open.
      let mayEnd =
        outcome.elapsed <= firstLimit || outcome.output.kinds.last == "session-ended"
        || outcome.status == 77 && world.kernel.setBack > .zero
      world.check(outcome.status == 130 || mayEnd, "the follower ended: \(outcome)")
    } else {
      world.mark("follow \(outcome.status ?? -1)")
      world.check(outcome.elapsed <= .seconds(1200), "the follow took \(outcome.elapsed)")
      // In the pause before a retry, neither the status nor the conversation shows that the turn
      // continues.
      let isGood = outcome.status == 0 || isRetried && outcome.status == 6
      world.check(isGood || isTroubled, "status \(outcome.status ?? -1) without a fault")
    }
    var finished: Set<String> = []
    var ends = 0
    for line in outcome.lines {
      guard let json = try? JSONValue(parsing: Array(line.utf8)) else {
        world.check(false, "invalid JSON: \(line)")
        continue
      }
      switch json["type"].string {
      case "tool-finished":
        let call = json["callId"].string ?? ""
        world.check(finished.insert(call).inserted, "the end of call \(call) was reported twice")
      case "turn-finished": ends += 1
      default: break
      }
    }
    // If the connection dies silently before a retry is announced, a failed attempt looks like the
    // end.
    // A follower that stays shows another turn after the faults.
    let mostEnds = (isRetried && isTroubled ? 2 : 1) + (isForever ? 1 : 0)
    world.check(ends <= mostEnds, "the end of one turn was reported \(ends) times")
  }
}

extension String {
  /// The types of the documents, one of which is on each line.
  fileprivate var kinds: [String] {
    split(separator: "\n").compactMap { line in
      (try? JSONValue(parsing: Array(line.utf8)))?["type"].string
    }
  }
}
