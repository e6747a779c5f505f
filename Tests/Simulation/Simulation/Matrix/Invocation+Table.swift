// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiWire

extension Invocation {
  /// The maximum time to list a server's workspaces, to connect and to deliver, with a second look.
  private static let asking = Duration.seconds(26)
  /// The maximum time including the turn, the agent start and the wait for an unreachable server.
  private static let waiting = Duration.seconds(600)

  package static let all: [Invocation] =
    [
      pair, workspaces, models, test, ask, askAnew, askOn, askHard, askBusy, askAndWait, askAndDeny,
      askQueue, askTwice, askTwoServers, follow, followBusy, followNewest, show, new, launch, stop,
      stopSession, sessions, sessionsDelete, approve, answer, doctor,
      pair.gated, ask.gated, askOn.gated, askBusy.gated, askAndWait.gated, askAndDeny.gated,
      askQueue.gated, follow.gated, followBusy.gated, show.gated, launch.gated, stop.gated,
      sessions.gated, sessionsDelete.gated, approve.gated, answer.gated,
      ask.first, askOn.first, askAndWait.first, askQueue.first, follow.first, followBusy.first,
      show.first, stop.first, sessionsDelete.first, approve.first,
    ]

  private static let pair = Invocation("pair", of: ["pair"], within: .seconds(10)) {
    (world, server) in
    let other = try await world.addServer(.named("office"))
    return Stage(words: ["pair", server.inviteText() ?? ""], server: server, others: [other])
  }
  .with {
    $0.isPaired = false
    $0.getsToken = true
  }

  private static let workspaces = Invocation("workspaces", of: ["workspaces"], within: .seconds(5))
  {
    (world, server) in
    let other = try await world.addServer(.named("office"))
    return Stage(words: ["workspaces"], server: server, others: [other])
  }

  private static let models = Invocation("models", of: ["models"], within: .seconds(5)) {
    (world, server) in
    let other = try await world.addServer(.named("office"))
    return Stage(words: ["models"], server: server, others: [other])
  }

  private static let test = Invocation(
    "servers test",
    of: ["servers", "test"],
    within: .seconds(5)
  ) {
    Stage(words: ["servers", "test"], server: $1)
  }

  private static let doctor = Invocation("doctor", of: ["doctor"], within: .seconds(11)) {
    (world, server) in
    let other = try await world.addServer(.named("office"))
    return Stage(words: ["doctor"], server: server, others: [other])
  }

  // MARK: Prompts

  private static func asking(
    _ name: String,
    within budget: Duration = asking,
    prompt: String = "marked",
    _ words: @escaping @Sendable (World) async throws -> [String]
  ) -> Invocation {
    Invocation(name, of: ["ask"], within: budget) { (world, server) in
      Stage(words: ["ask"] + (try await words(world)) + ["--", prompt], server: server)
    }
    .with { $0.prompt = prompt }
  }

  private static let ask = asking("ask") { _ in ["-w", "demo"] }

  private static let askAnew = Invocation("ask, after its token", of: ["ask"], within: asking) {
    (_, server) in
    server.expireTokens()
    return Stage(words: ["ask", "-w", "demo", "--", "marked"], server: server)
  }
  .with {
    $0.prompt = "marked"
    $0.getsToken = true
  }

  private static let askOn = asking("ask -s") { ["-s", try await begunSession(in: $0)] }

  private static let askHard = asking("ask -s, with a level") {
    ["-t", "high", "-s", try await begunSession(in: $0)]
  }

  private static let askBusy = asking("ask -s, of a busy session") {
    ["-s", try await begunSession(in: $0, "slow")]
  }
  .with { $0.pace = .seconds(1) }

  private static let askAndWait = asking("ask --wait", within: waiting) { _ in
    ["--wait", "-w", "demo"]
  }
  .with {
    $0.pace = .seconds(1)
    $0.isWaiting = true
    $0.isTurnShown = true
  }

  private static let askAndDeny = asking(
    "ask --wait --on-ask deny",
    within: waiting,
    prompt: "deploy this"
  ) { _ in
    ["--wait", "--on-ask", "deny", "-w", "demo"]
  }
  .with { $0.isWaiting = true }

  private static let askQueue = asking("ask --queue") { _ in
    ["--queue", "--key", "k", "-w", "demo"]
  }
  .with { $0.isQueued = true }

  private static let askTwice = asking("ask, in two workspaces") { _ in
    ["-w", "demo", "-w", "webapp"]
  }
  .with { $0.targets = 2 }

  private static let askTwoServers = Invocation("ask, on two servers", of: ["ask"], within: asking)
  {
    (world, server) in
    let other = try await world.addServer(.named("office"))
    let words = ["ask", "-w", "studio/demo", "-w", "office/demo", "--", "marked"]
    return Stage(words: words, server: server, others: [other])
  }
  .with {
    $0.prompt = "marked"
    $0.targets = 2
  }

  // MARK: Other commands

  private static func following(
    _ name: String,
    prompt: String,
    isNamed: Bool = true
  ) -> Invocation {
    Invocation(name, of: ["follow"], within: waiting) { (world, server) in
      let session = try await begunSession(in: world, prompt)
      return Stage(words: ["follow"] + (isNamed ? ["--", session] : []), server: server)
    }
  }

  private static let follow = following("follow, of a session at rest", prompt: "two tools")

  private static let followBusy = following("follow", prompt: "todo")
    .with {
      $0.pace = .seconds(1)
      $0.isTurnShown = true
    }

  private static let followNewest = following(
    "follow, unnamed",
    prompt: "two tools",
    isNamed: false
  )
  .with { $0.pace = .seconds(1) }

  private static let show = Invocation("show", of: ["show"], within: .seconds(15)) {
    (world, server) in
    let session = try await begunSession(in: world, "two tools")
    return Stage(words: ["show", "--", session], server: server)
  }

  private static let stop = Invocation("stop", of: ["stop"], within: .seconds(40)) {
    (world, server) in
    let session = try await begunSession(in: world, "silent")
    return Stage(words: ["stop", "--", session], server: server)
  }

  private static let stopSession = Invocation("stop --session", of: ["stop"], within: .seconds(15))
  {
    (world, server) in
    let session = try await begunSession(in: world, "silent")
    return Stage(words: ["stop", "--session", "--", session], server: server)
  }

  private static let sessions = Invocation(
    "sessions",
    of: ["sessions", "list"],
    within: .seconds(15)
  ) { (world, server) in
    _ = try await begunSession(in: world, "silent")
    return Stage(words: ["sessions"], server: server)
  }

  private static let sessionsDelete = Invocation(
    "sessions delete",
    of: ["sessions", "delete"],
    within: .seconds(45)
  ) { (world, server) in
    _ = try await begunSession(in: world)
    try await world.loop.sleep(for: .seconds(70))
    let words = ["sessions", "delete", "--older", "1m", "-w", "demo", "--yes"]
    return Stage(words: words, server: server)
  }

  private static let approve = Invocation("approve", of: ["approve"], within: .seconds(25)) {
    (world, server) in
    _ = try await begunSession(in: world, "deploy")
    let listed = await world.program().run(["approvals"])
    let request = listed.lines.first?.split(separator: "\t").first.map(String.init) ?? ""
    return Stage(words: ["approve", "--", request], server: server)
  }

  private static let answer = Invocation("answer", of: ["answer"], within: .seconds(30)) {
    (world, server) in
    let session = try await begunSession(in: world, "question")
    return Stage(words: ["answer", "--", session, "2", "1"], server: server)
  }

  private static let new = Invocation("new", of: ["new"], within: .seconds(5)) {
    Stage(words: ["new", "--print-target"], server: $1)
  }

  private static let launch = Invocation("launch", of: ["launch"], within: .seconds(15)) {
    (world, server) in
    let left = await world.program().run(["new", "--print-target"])
    world.check(left.status == 0, "no target was stored without faults")
    return Stage(words: ["launch", "--print"], server: server)
  }

  /// Sends a prompt to a new session, waits 3 s and returns the session's id.
  private static func begunSession(
    in world: World,
    _ prompt: String = "first things first"
  ) async throws -> String {
    let outcome = await world.program().run(["ask", "-w", "demo", prompt])
    world.check(outcome.status == 0, "a prompt was not delivered without faults")
    // By then a turn without pauses has ended, and other turns are running.
    try await world.loop.sleep(for: .seconds(3))
    return outcome.lines.first ?? ""
  }
}

extension FakeServer.Configuration {
  /// A server of today.
  static func named(_ name: String) -> FakeServer.Configuration {
    var configuration = FakeServer.Configuration()
    configuration.name = name
    configuration.dialect = .deviceKeys
    return configuration
  }
}
