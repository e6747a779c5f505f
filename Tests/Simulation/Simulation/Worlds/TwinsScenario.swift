// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer

/// Two servers with equal ids of workspaces, sessions and requests: each prompt reaches the server
/// that was named, also later and by the outbox.
enum TwinsScenario {
  private static let names = ["studio", "cloud"]

  static func play(_ world: World) async throws {
    var servers: [VirtualServer] = []
    for name in names {
      var configuration = FakeServer.Configuration.drawn(in: world, name: name)
      configuration.countsIDs = true
      servers.append(try await world.addServer(configuration))
    }
    let sessions = await begin(in: world)
    guard sessions.count == names.count else { return }
    world.mark(sessions[0] == sessions[1] ? "equal sessions" : "other sessions")
    world.set(world.drawNetworkFaults())
    await withTaskGroup(of: Void.self) { group in
      if world.happens(0.4) {
        let server = world.choose(servers)
        group.addTask { await world.restart(server, within: .seconds(60), awayFor: .seconds(100)) }
      }
      for (name, session) in zip(names, sessions) {
        group.addTask { await ask(name, session, world) }
      }
      for _ in 0..<world.number(below: 3) {
        group.addTask { await OutboxScenario.flush(world) }
      }
    }
    try await world.calmDown()
    for server in servers { check(server, world) }
  }

  /// Creates a session on each server.
  private static func begin(in world: World) async -> [String] {
    var sessions: [String] = []
    for name in names {
      let session = await world.session(asking: ["-w", "\(name)/demo", "--", "\(name) first"])
      if let session { sessions.append(session) }
    }
    return sessions
  }

  /// Asks in the session of a server, and in a new one, with the name of the server in the prompt.
  private static func ask(_ name: String, _ session: String, _ world: World) async {
    for place in [["-s", "\(name)/\(session)"], ["-w", "\(name)/demo"]] {
      try? await world.loop.sleep(for: world.time(upTo: .seconds(30)))
      let prompt = "\(name) \(world.number(below: 1 << 30))"
      let words = ["ask", "--json", "--queue"] + place + ["--", prompt]
      let outcome = await world.program().run(words)
      world.mark("status \(outcome.status.map(String.init) ?? "none")")
    }
  }

  private static func check(_ server: VirtualServer, _ world: World) {
    let texts = server.runs.map(\.text)
    for text in texts {
      world.check(text.hasPrefix("\(server.name) "), "\(text) ran on \(server.name)")
    }
    for (text, runs) in Dictionary(grouping: texts, by: \.self) {
      world.check(runs.count == 1, "\(text) ran \(runs.count) times")
    }
  }
}
