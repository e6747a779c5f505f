// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiSystem
import OppiTransport
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport

@Suite struct FleetTests {
  @Test("answers are delivered as they arrive, a fast server's before a slow server's")
  func asTheyCome() {
    inFlowWorld(["slow", "fast"]) { home in
      // The slow server answers after the fast server's answer was delivered.
      let (door, key) = AsyncStream<Void>.makeStream()
      var heard: [String] = []
      await Fleet(home.paired, connections: home.connections).ask(within: .timeout) {
        (calls, _) throws(OppiError) in
        if calls.api.serverName == "slow" { for await _ in door {} }
        return try await calls.listWorkspaces()
      } onAnswer: { answer in
        #expect((try? answer.result.get().count) == 2)
        heard.append(answer.server.name)
        key.finish()
      }
      #expect(heard == ["fast", "slow"])
    }
  }

  @Test("a server's failure does not affect the results of the others")
  func failures() {
    let names = ["good", "stranger", "strict", "silent", "also-good"]
    let (strict, silent) = (Trouble(), Trouble())
    inFlowWorld(names, withoutTokens: ["stranger"]) { name, configuration in
      configuration.interceptor = ["strict": strict, "silent": silent][name]?.interceptor
    } _: { home in
      strict.begin { Self.refuse($0) }
      silent.begin { _ in .hang }
      let answers = try await Fleet(home.paired, connections: home.connections)
        .answers(within: .timeout) { (calls, _) throws(OppiError) in
          let isSilent = calls.api.serverName == "silent"
          let deadline = isSilent ? calls.loop.now + .milliseconds(50) : calls.deadline
          return try await calls.until(deadline).listWorkspaces()
        }
      #expect(answers.count == 5)
      for answer in answers { Self.check(answer) }
    }
  }

  private static func check(_ answer: Fleet.Answer<[Workspace]>) {
    switch (answer.server.name, answer.result) {
    case ("good", .success(let workspaces)), ("also-good", .success(let workspaces)):
      #expect(workspaces.map(\.name) == ["demo", "webapp"])
    case ("stranger", .failure(let error)):
      #expect(error.message == "no token for stranger")
    case ("strict", .failure(let error)):
      #expect(error == .refused(status: 403, message: "not today", server: "strict"))
    case ("silent", .failure(let error)):
      #expect(error.isTimeout && error.message.contains("silent"))
    default: Issue.record("\(answer)")
    }
  }

  private static func refuse(_ step: Step) -> Intervention {
    if case .request = step { .answer(status: 403, error: "not today") } else { .proceed }
  }

  @Test("errors are sorted by server, and one that servers share is reported once")
  func errors() throws {
    let (one, other) = (OppiError(.notSet, "one"), OppiError(.notSet, "other"))
    func answer(_ number: UInt8, _ result: Result<Int, OppiError>) throws -> Fleet.Answer<Int> {
      Fleet.Answer(server: try .sample(number), result: result, elapsed: .zero)
    }
    let failed = [
      try answer(3, .failure(other)), try answer(1, .failure(one)), try answer(2, .failure(one)),
    ]
    let all = FleetFailures(failed)
    #expect(all.errors == [one, other] && all.failure == one && all.notes.count == 1)
    let some = FleetFailures(failed + [try answer(4, .success(1))])
    #expect(some.errors == [one, other] && some.failure == nil && some.notes.count == 2)
  }

  @Test("a cancelled query throws even if every server has answered")
  func interrupted() {
    inFlowWorld(["good"]) { home in
      let fleet = Fleet(home.paired, connections: home.connections)
      do {
        _ = try await withThrowingTaskGroup(of: Int.self) { group in
          group.addTask { try await fleet.answers { (calls, _) in calls.api.serverName }.count }
          group.cancelAll()
          return try await group.next()
        }
        Issue.record("the query did not throw")
      } catch is CancellationError {}
    }
  }

  @Test("a query without servers has no answers")
  func noServers() {
    inFlowWorld([]) { home in
      let answers = try await Fleet([], connections: home.connections)
        .answers { (calls, _) in calls.api.serverName }
      #expect(answers.isEmpty)
    }
  }

  @Test(
    "silent servers time out concurrently at the deadline",
    arguments: [nil, Duration.seconds(30)]
  )
  func silence(limit: Duration?) throws {
    let scratch = try Scratch()
    let servers = try (1...3).map { number in
      try scratch.write("token", to: "oppi-silent \(number)")
      return PairedServer(
        id: Fingerprint(digest: [UInt8](repeating: UInt8(number), count: 32)),
        name: "silent \(number)",
        endpoint: try .loopback(number)
      )
    }
    let loop = EventLoop(on: LeapingKernel())
    let paths = XDGPaths(environment: [:], home: scratch.folder)
    let files = FileStore(loop: loop)
    let connections = Connections(
      network: Network(loop: loop, environment: [:], sockets: SilentSockets()),
      credentials: CredentialStore(
        paths: paths,
        environment: ["CREDENTIALS_DIRECTORY": scratch.folder],
        files: files
      ),
      tokens: AccessTokenStore(paths: paths, files: files)
    )
    let answers = loop.run {
      var answers: [Fleet.Answer<Void>] = []
      await Fleet(servers, connections: connections).ask(within: limit) {
        (calls, _) throws(OppiError) in
        try await calls.me()
      } onAnswer: {
        answers.append($0)
      }
      return answers
    }
    #expect(answers.map(\.elapsed) == Array(repeating: limit ?? .seconds(5), count: 3))
    for answer in answers {
      #expect(answer.error?.reason == .transport(.timedOut(.answer)))
    }
  }
}

/// Workspaces named on several servers.
@Suite struct WorkspaceNameTests {
  @Test("a name is not taken from the list of one server while that of another is not known")
  func oneList() {
    inWorld { world, studio in
      await world.oppi("workspaces", exits: 0)
      let attic = try await world.addServer(named: "attic")
      let asked = await world.oppi("ask", "-w", "demo", "hi") { $0.status != 0 }
      #expect(asked.errors.contains("attic"), "\(asked)")
      #expect(studio.heard.isEmpty && attic.heard.isEmpty)
    }
  }
}

/// Sessions named by an id, the start of an id, or `last`, on several servers.
@Suite struct SessionNameTests {
  /// Runs a body with a session on each of two servers, whose ids start with `same`.
  private static func inTwo(
    _ body:
      @escaping @Sendable (
        World, (server: VirtualServer, session: String), (server: VirtualServer, session: String)
      ) async throws -> Void
  ) {
    inWorld(where: \.sessionIDPrefix, is: "same") { world, studio in
      let attic = try await world.addServer(named: "attic") { $0.sessionIDPrefix = "same" }
      var sessions: [String] = []
      for name in ["studio", "attic"] {
        let asked = await world.oppi("ask", "-q", "-w", "\(name)/demo", "hello \(name)")
        try #require(asked.status == 0, "\(asked)")
        try await world.pass()
        sessions.append(try #require(asked.lines.first))
      }
      try await body(world, (studio, sessions[0]), (attic, sessions[1]))
    }
  }

  @Test("a full id is found on the server that has it")
  func fullID() {
    Self.inTwo { world, studio, attic in
      for (server, name) in [(studio, "studio"), (attic, "attic")] {
        await world.oppi("ask", "-q", "-s", server.session, "more \(name)", exits: 0)
        try await world.pass()
        #expect(server.server.heard == ["hello \(name)", "more \(name)"])
      }
    }
  }

  @Test("a prefix that matches sessions on two servers is ambiguous unless the server is given")
  func prefix() {
    Self.inTwo { world, studio, attic in
      let both = await world.oppi("ask", "-s", "same", "--", "more", exits: 64)
      #expect(both.errors.contains("studio/\(studio.session)"), "\(both)")
      #expect(both.errors.contains("attic/\(attic.session)"), "\(both)")
      #expect(studio.server.heard.count == 1 && attic.server.heard.count == 1)
      await world.oppi("ask", "-q", "-s", "attic/same", "--", "more", exits: 0)
      try await world.pass()
      #expect(studio.server.heard.count == 1 && attic.server.heard.count == 2)
    }
  }

  @Test("a prefix is not resolved while any session of an unreachable server may match")
  func oneAway() {
    Self.inTwo { world, studio, attic in
      await attic.server.end(.inOrder)
      let prefix = await world.oppi("ask", "-s", "same", "--", "more")
      #expect(prefix.status == 69 && studio.server.heard.count == 1, "\(prefix)")
      #expect(prefix.errors.contains("use its full name: studio/\(studio.session)"), "\(prefix)")
      #expect(prefix.errors.contains("Can't reach attic"), "\(prefix)")
      await world.oppi("ask", "-q", "-s", "studio/same", "--", "more", exits: 0)
      await world.oppi("ask", "-q", "-s", studio.session, "--", "again", exits: 0)
      try await world.pass()
      #expect(studio.server.heard == ["hello studio", "more", "again"])
    }
  }

  @Test("a prefix is resolved if the last list of an unreachable server has no match")
  func excluded() {
    Self.inTwo { world, studio, attic in
      let start = String(studio.session.dropLast())
      try #require(!attic.session.hasPrefix(start))
      _ = await world.oppi("sessions", "--state", "all")
      await attic.server.end(.inOrder)
      await world.oppi("ask", "-q", "-s", start, "--", "more", exits: 0)
      try await world.pass()
      #expect(studio.server.heard == ["hello studio", "more"])
      for command in ["show", "stop"] {
        await world.oppi(command, "--", start, exits: 0)
      }
      // The server had a session whose id starts so.
      await world.oppi("show", "same", exits: 69)
      // An answer decides something, so every server must have been asked.
      await world.oppi("answer", "--", start, exits: 69, saying: studio.session)
    }
  }

  @Test("last is the last session, on its own server")
  func last() {
    Self.inTwo { world, studio, attic in
      for (name, server, other) in [("studio", studio, attic), ("attic", attic, studio)] {
        let count = other.server.heard.count
        _ = await world.oppi("ask", "-q", "-s", server.session, "--", "more")
        try await world.pass()
        await world.oppi("ask", "-q", "-s", "last", "--", "last \(name)", exits: 0)
        try await world.pass()
        #expect(server.server.heard.last == "last \(name)")
        #expect(other.server.heard.count == count)
      }
    }
  }
}
