// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Synchronization

/// A prompt is sent from the outbox, its program and its server end before anything is stored, and
/// the clock is changed before the next try: the new server must not run the prompt again.
enum ClockScenario {
  static func play(_ world: World) async throws {
    let prompt = "prompt \(world.number(below: 1 << 30))"
    let hasLeft = Mutex(false)
    var configuration = drawn(in: world)
    configuration.interceptor = { step in
      if step.prompt == prompt { hasLeft.withLock { $0 = true } }
      return .proceed
    }
    let server = try await world.addServer(configuration)
    guard let words = await words(asking: prompt, on: server, in: world) else { return }
    let program = world.program()
    let asking = Task(executorPreference: world.loop) { await program.run(words) }
    for _ in 0..<3000 where !hasLeft.withLock({ $0 }) {
      try await world.loop.sleep(for: .milliseconds(5))
    }
    world.check(hasLeft.withLock { $0 }, "the prompt was not sent without faults")
    if world.happens(0.7) {
      try await world.loop.sleep(for: world.time(upTo: .milliseconds(20)))
      OutboxScenario.die(program, world)
    } else {
      world.network.loseAnswers(from: server.address)
    }
    try await world.loop.sleep(for: world.time(upTo: .milliseconds(1500)))
    await server.end(world.choose([.killed, .powerless]))
    let outcome = await asking.value
    try await comeBack(server, in: world)
    for _ in 0...world.number(below: 3) { await OutboxScenario.flush(world) }
    let left = try await world.calmDown()
    OutboxCheck(world: world, server: server, left: left)
      .check(QueuedAsk(prompt: prompt, outcomes: [outcome]))
  }

  /// A server that stores its state with a delay of 1 s.
  ///
  /// Its dialect is mostly the older dialect, which reports a session as it was stored.
  private static func drawn(in world: World) -> FakeServer.Configuration {
    let dialect = world.happens(0.5) ? Dialect.perSession : .drawn(in: world)
    var configuration = FakeServer.Configuration.drawn(in: world, name: "studio", dialect)
    configuration.restLag = .seconds(1)
    configuration.agentStartDelay = min(configuration.agentStartDelay, .milliseconds(300))
    return configuration
  }

  /// The command line of a queued ask for a new or an existing session.
  private static func words(
    asking prompt: String,
    on server: VirtualServer,
    in world: World
  ) async -> [String]? {
    let words = ["ask", "--json", "--queue"]
    guard world.happens(0.4) else {
      return server.reference.map { words + ["-w", $0.description, "--", prompt] }
    }
    let session = await world.session(asking: ["-w", "demo", "first things first"])
    try? await world.loop.sleep(for: .seconds(60))
    return session.map { words + ["-s", $0, "--", prompt] }
  }

  /// Restarts the server, and moves the clock before or after that, by -600 s to 199 s.
  private static func comeBack(_ server: VirtualServer, in world: World) async throws {
    try await world.loop.sleep(for: world.time(upTo: .seconds(200)))
    let jump = Duration.seconds(world.number(below: 800) - 600)
    let isBefore = world.happens(0.5)
    if !isBefore { try server.start() }
    try await world.loop.sleep(for: world.time(upTo: .seconds(200)))
    world.tell("the clock changes by \(jump)")
    world.mark(jump < .zero ? "clock back" : "clock ahead")
    world.kernel.jumpDay(by: jump)
    if isBefore { try server.start() }
  }
}

extension Step {
  /// The prompt in a message or in a request for a new session.
  fileprivate var prompt: String? {
    switch self {
    case .message(let message, _): message["message"].string
    case .request(let request, _):
      (try? JSONValue(parsing: request.body))?["prompt"].string
    case .accepted, .opened, .handedOver: nil
    }
  }
}
