// SPDX-License-Identifier: MIT

import EventLoop
import LoopbackServer
import OppiIntents
import OppiModel
import OppiTransport
import TestSupport
import Testing

@Suite struct SessionFeedTests {
  /// A session on a loopback server, reached through a relay.
  private struct Setting: Sendable {
    let server: RunningServer
    let loop: EventLoop
    let relay: Relay

    init(
      dialect: PairedServer.Dialect = .multiplexed,
      _ change: (inout LoopbackServer.Configuration) -> Void = { _ in }
    ) throws {
      var configuration = LoopbackServer.Configuration()
      configuration.dialect = dialect
      change(&configuration)
      server = try LoopbackServer.start(configuration)
      loop = try EventLoop()
      relay = try Relay(
        to: Network.Destination(endpoint: try Self.endpoint(server.port)),
        on: loop
      )
    }

    static func endpoint(_ port: Int) throws -> Endpoint {
      try #require(Endpoint(scheme: .http, host: "127.0.0.1", port: port))
    }

    /// Runs the body with a new session, and the relay, on the loop.
    func run<Value: Sendable>(
      _ body: @escaping @Sendable (IntentAPIClient, ServerSession) async throws -> Value
    ) throws -> Value {
      let endpoint = try Self.endpoint(relay.port)
      let paired = PairedServer(id: server.fingerprint, name: "loopback", endpoint: endpoint)
      let api = IntentAPIClient(
        network: Network(loop: loop, environment: [:]),
        destination: Network.Destination(endpoint: endpoint),
        serverName: "loopback",
        token: server.ownerToken
      )
      let workspace = server.configuration.workspaces[0]
      return try loop.runInTime { [relay] in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { await relay.run() }
          defer { group.cancelAll() }
          let created = try await api.createSession(
            workspaceID: workspace.id,
            name: nil,
            model: nil,
            until: .farOff
          )
          let session = ServerSession(
            server: paired,
            id: created.id,
            workspaceID: workspace.id,
            workspaceName: workspace.name
          )
          return try await body(api, session)
        }
      }
    }
  }

  /// What a feed reported until the end of the turn.
  private struct Record: Sendable {
    var sequences: [Int] = []
    var losses = 0
    var standings: [FeedState.Standing] = []
  }

  /// Sends a prompt and follows the feed to the end of the run; calls `meddle` with every message.
  private static func follow(
    _ api: IntentAPIClient,
    _ session: ServerSession,
    prompt: String,
    meddle: (ServerMessage) async -> Void
  ) async throws -> Record {
    var record = Record()
    var feed = SessionFeed(api: api, session: session, patience: .patience)
    while let news = try await feed.next(until: .farOff) {
      switch news {
      case .message(let message):
        if let sequence = message.sequence { record.sequences.append(sequence) }
        await meddle(message)
        if case .agentEnd = message.kind {
          await feed.close()
          return record
        }
      case .lost: record.losses += 1
      case .standing(let standing):
        record.standings.append(standing)
        if standing.isFirst {
          let turn = ClientMessage.Turn(text: prompt, clientTurnID: "turn")
          try await feed.send(.prompt(turn), id: "prompt", until: .farOff)
        }
        // The end of the turn may be among the missed events that only the trace has.
        guard standing.isComplete || standing.status == .busy else {
          await feed.close()
          return record
        }
      case .givenUp(let error):
        Issue.record("given up: \(error)")
        return record
      }
    }
    Issue.record("the turn did not end")
    return record
  }

  @Test("events arrive in the order of their sequence numbers")
  func inOrder() throws {
    let record = try Setting().run { api, session in
      try await Self.follow(api, session, prompt: "hello") { _ in }
    }
    #expect(record.sequences == Array(1...(record.sequences.last ?? 0)))
    #expect(record.losses == 0)
  }

  @Test(
    "no event is missing or repeated after a cut",
    arguments: [PairedServer.Dialect.multiplexed, .perSession]
  )
  func acrossCut(dialect: PairedServer.Dialect) throws {
    let setting = try Setting(dialect: dialect) { $0.pace = .milliseconds(10) }
    let record = try setting.run { [relay = setting.relay] api, session in
      var hasCut = false
      return try await Self.follow(api, session, prompt: "hello") { message in
        if case .toolStart = message.kind, !hasCut {
          hasCut = true
          relay.cut()
        }
      }
    }
    #expect(record.losses == 1)
    #expect(record.sequences == Array(1...(record.sequences.last ?? 0)))
  }

  @Test("an event that the server sends twice is delivered once")
  func toldAgain() throws {
    let setting = try Setting { configuration in
      configuration.interceptor = { step in
        guard case .message(let json, _) = step, json["type"] == "prompt" else { return .proceed }
        let event: JSONValue = ["type": "agent_start", "seq": 1, "sessionId": json["sessionId"]]
        let text = Array(event.text().utf8)
        let frame = [0x81, UInt8(text.count)] + text
        return .send(frame + frame, then: .proceed)
      }
    }
    let record = try setting.run { api, session in
      try await Self.follow(api, session, prompt: "hello") { _ in }
    }
    #expect(record.sequences == Array(1...(record.sequences.last ?? 0)))
  }

  @Test("a feed reports missing events if the server's event ring is too short")
  func beyondTheRing() throws {
    let setting = try Setting { configuration in
      configuration.pace = .milliseconds(10)
      configuration.limits.eventRing = 1
    }
    let record = try setting.run { [relay = setting.relay] api, session in
      var hasCut = false
      return try await Self.follow(api, session, prompt: "hello") { message in
        if case .toolStart = message.kind, !hasCut {
          hasCut = true
          relay.cut()
        }
      }
    }
    #expect(record.losses == 1)
    #expect(record.standings.map(\.isComplete) == [true, false])
    #expect(Set(record.sequences).count == record.sequences.count)
  }

  @Test("an unknown session fails at once, without a retry")
  func unknownSession() throws {
    let setting = try Setting()
    let error = try setting.run { api, session in
      var session = session
      session.id = "unknown0"
      var feed = SessionFeed(api: api, session: session, patience: nil)
      do {
        while try await feed.next(until: .farOff) != nil {}
        return "silence"
      } catch {
        return "\(error)"
      }
    }
    #expect(error.contains("Session not found"), "\(error)")
  }
}
