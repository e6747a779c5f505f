// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiTransport
import Synchronization
import TestSupport
import Testing

@testable import Oppi

/// Streams of servers with device keys, which end whenever a token does.
@Suite("Streams of sessions", .needs("openssl"))
struct SessionStreamTests {
  /// The limits of a delivery that waits for its turn, however long its agent starts.
  static let patient: PromptDelivery.Limits = {
    var limits = PromptDelivery.Limits()
    limits.total = nil
    return limits
  }()

  private static func run(
    _ body: @escaping @Sendable (Bench.Desk, RunningServer) async throws -> Void
  ) throws {
    try configured { _ in
    } run: {
      try await body($0, $1)
    }
  }

  static func configured(
    _ change: (inout FakeServer.Configuration) -> Void,
    run body: @escaping @Sendable (Bench.Desk, RunningServer) async throws -> Void
  ) throws {
    let home = try DeviceHome(change)
    try home.run { process in
      let process = process()
      var server = try await process.pair(with: home.server)
      server.dialect = .deviceKeys
      let api = try await process.connections.client(for: server)
      let workspace = home.server.configuration.workspaces[0]
      let desk = Bench.Desk(
        api: api,
        direct: api,
        paired: server,
        workspace: ServerWorkspace(server: server, workspace: workspace)
      )
      try await body(desk, home.server)
    }
  }

  @Test("the agent of an ended session is started again only for its user")
  func rest() throws {
    try Self.run { desk, server in
      let session = try await desk.newSession()
      let wakeSignal = WakeSignal()
      var feed = SessionFeed(api: desk.api, session: session, timeout: nil, wokenBy: wakeSignal)
      while case .changes? = try await feed.next(until: .farOff) {}
      try await desk.api.until(.farOff)
        .stopSession(session.id, workspaceID: desk.workspace.workspace.id)
      while case .changes(_, of: let message?)? = try await feed.next(until: .farOff) {
        if case .sessionEnded = message.kind { break }
      }
      server.expireTokens()
      while let news = try await feed.next(until: .farOff) {
        if case .renewing = news { break }
      }
      let soon = desk.api.loop.now + .milliseconds(50)
      #expect(try await feed.next(until: soon) == nil)
      #expect(server.journal.requests.count { $0.path.hasSuffix("/stream") } == 1)
      wakeSignal.send()
      while let news = try await feed.next(until: .farOff) {
        guard case .caughtUp(let catchUp) = news else { continue }
        #expect(catchUp.isRenewal && catchUp.isNewAgent)
        break
      }
      await feed.close()
      let streams = server.journal.requests.filter { $0.path.hasSuffix("/stream") }
      #expect(streams.count { $0.status == 101 } == 2, "\(streams)")
    }
  }

  @Test("an agent that starts while the token ends is awaited over another stream")
  func expiryAtStart() throws {
    try Self.configured {
      $0.agentStartDelay = .milliseconds(200)
    } run: { desk, server in
      let session = try await desk.newSession()
      async let asking = desk.ask("hello", in: session, limits: Self.patient, waitingForTurn: true)
      try await server.wait { $0.requests.contains { $0.path.hasSuffix("/stream") } }
      server.expireTokens()
      let delivery = try await asking
      #expect(delivery.outcome.state == .started)
      await delivery.stream?.socket?.close()
      #expect(server.journal.runs.map(\.text) == ["hello"])
    }
  }

  @Test(
    "a prompt that is sent while the token ends runs once, whether it arrived or not",
    arguments: [true, false]
  )
  func expiryAtDelivery(hasArrived: Bool) throws {
    let gate = Mutex(true)
    let change: (inout FakeServer.Configuration) -> Void = { configuration in
      configuration.interceptor = { step in
        guard case .message(let json, _) = step, json["type"] == "prompt" else { return .proceed }
        let isFirst = gate.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        guard isFirst else { return .proceed }
        return hasArrived ? .performThenDrop : .ignore
      }
    }
    try Self.configured(change) { desk, server in
      let session = try await desk.newSession()
      async let asking = desk.ask(
        "once",
        in: session,
        limits: Self.patient,
        waitingForTurn: true
      )
      try await server.wait { $0.messages.contains { $0.type == "prompt" } }
      server.expireTokens()
      let delivery = try await asking
      await delivery.stream?.socket?.close()
      #expect(delivery.outcome.clientTurnID == "turn-once")
      try await server.wait { !$0.runs.isEmpty }
      #expect(server.journal.runs.map(\.text) == ["once"])
    }
  }

  @Test("after a revocation, a stream is refused for good")
  func revoked() throws {
    try Self.run { desk, server in
      let session = try await desk.newSession()
      var feed = SessionFeed(api: desk.api, session: session, timeout: nil)
      while case .changes? = try await feed.next(until: .farOff) {}
      server.revokeDevices()
      await #expect {
        while let news = try await feed.next(until: .farOff) {
          if case .lost = news { Issue.record("lost") }
        }
      } throws: { error in
        (error as? OppiError)?.reason == .accessRefused(.revoked)
      }
    }
  }

  @Test("an unknown session is reported as such")
  func unknown() throws {
    try Self.run { desk, _ in
      var session = try await desk.newSession()
      session.id = "7c0e1f2a-0000-4000-8000-000000000001"
      var feed = SessionFeed(api: desk.api, session: session, timeout: nil)
      await #expect {
        while try await feed.next(until: .farOff) != nil {}
      } throws: { error in
        (error as? OppiError) == .unknownSession(name: session.id)
      }
    }
  }

  @Test("a failed start is reported with the server's reason")
  func failedStart() throws {
    try Self.configured {
      $0.startFailures[$0.workspaces[0].id] = "no agent here"
    } run: { desk, _ in
      let session = try await desk.newSession()
      await #expect {
        _ = try await desk.ask("hello", in: session)
      } throws: { error in
        (error as? AskFailure)?.delivery == .refused(.startFailed("no agent here"))
      }
    }
  }

  @Test("a server of an unknown dialect is recognized by its stream")
  func recognized() throws {
    try Self.run { desk, server in
      let session = try await desk.newSession()
      var unknown = session
      unknown.server.dialect = nil
      let outcome = try await desk.ask("hello", in: unknown).outcome
      #expect(outcome.stream == .session)
      #expect(outcome.state == .started)
      try await server.wait { !$0.runs.isEmpty }
    }
  }
}
