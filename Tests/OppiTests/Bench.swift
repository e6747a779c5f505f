// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import Oppi

/// A loopback server and an event loop; intents reach the server through a relay or directly.
struct Bench: Sendable {
  static let dialects = [Dialect.multiplexed, .perSession]
  /// The dialects of all streams.
  static let allDialects = dialects + [.sessionSockets]

  let server: RunningServer
  let loop: EventLoop
  let relay: Relay
  /// The dialect that an earlier delivery has learned.
  private let known: Dialect?

  init(
    _ dialect: Dialect = .multiplexed,
    known: Dialect? = nil,
    _ change: (inout FakeServer.Configuration) -> Void = { _ in }
  ) throws {
    var configuration = FakeServer.Configuration()
    configuration.dialect = dialect
    change(&configuration)
    self.known = known
    server = try FakeServer.start(configuration)
    loop = try EventLoop()
    relay = try Relay(
      to: Network.Destination(endpoint: try Self.endpoint(server.port)),
      on: loop
    )
  }

  static func endpoint(_ port: Int) throws -> Endpoint {
    try #require(Endpoint(scheme: .http, host: "127.0.0.1", port: port))
  }

  /// The environment of the intents in a test.
  struct Desk: Sendable {
    /// Connects through the relay.
    let api: IntentAPIClient
    /// Connects without the relay.
    let direct: IntentAPIClient
    let paired: PairedServer
    let workspace: ServerWorkspace

    /// Sends a prompt, by default to a new session; `other` is another client of the server.
    func ask(
      _ prompt: String,
      in session: ServerSession? = nil,
      over other: IntentAPIClient? = nil,
      id: String? = nil,
      limits: PromptDelivery.Limits = PromptDelivery.Limits(),
      waitingForTurn: Bool = false
    ) async throws(AskFailure) -> AskDelivery {
      let request = AskRequest(
        Prompt(prompt),
        to: session.map(AskRequest.Target.session) ?? .newSession(workspace),
        clientTurnID: id ?? "turn-\(prompt)"
      )
      var run = DeliveryRun(
        of: request,
        over: other ?? api,
        models: ModelCatalog(),
        limits: limits,
        waitingForTurn: waitingForTurn
      )
      return try await run.perform()
    }

    /// Sends a prompt in the same way; the failure if it was not delivered.
    func attempt(
      _ prompt: String,
      in session: ServerSession? = nil,
      over other: IntentAPIClient? = nil,
      id: String? = nil,
      limits: PromptDelivery.Limits = PromptDelivery.Limits(),
      waitingForTurn: Bool = false
    ) async -> (failure: AskFailure?, outcome: AskOutcome?) {
      do throws(AskFailure) {
        let delivery = try await ask(
          prompt,
          in: session,
          over: other,
          id: id,
          limits: limits,
          waitingForTurn: waitingForTurn
        )
        return (nil, delivery.outcome)
      } catch {
        return (error, nil)
      }
    }

    func session(of outcome: AskOutcome) -> ServerSession { workspace.session(outcome.sessionID) }

    func newSession() async throws -> ServerSession {
      let created = try await direct.until(.farOff).createSession(
        NewSession(workspaceID: workspace.workspace.id)
      )
      return workspace.session(created.id)
    }

    /// Polls the events of a session, without the relay, until they meet the condition.
    func poll(_ session: String, until condition: ([ServerMessage]) -> Bool) async throws {
      while true {
        let loaded = try await direct.until(.farOff)
          .events(of: session, workspaceID: workspace.workspace.id, since: 0)
        if let events = loaded?.events, condition(events) { return }
        try Task.checkCancellation()
        await Task.yield()
      }
    }

    /// Polls until the session has pending approval requests, and returns them.
    func approvals(in session: String) async throws -> [PermissionRequest] {
      while true {
        let pending = try await direct.until(.farOff).pendingPermissions(sessionID: session)
        if !pending.isEmpty { return pending.compactMap(\.permission) }
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }

  /// Runs the body and the relay on the loop.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable (Desk) async throws -> Value
  ) async throws -> Value {
    let desk = Desk(
      api: client(try Self.endpoint(relay.port)),
      direct: client(try Self.endpoint(server.port)),
      paired: try paired,
      workspace: ServerWorkspace(
        server: try paired,
        workspace: server.configuration.workspaces[0]
      )
    )
    return try await loop.runOnThread { [relay] in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await relay.run() }
        defer { group.cancelAll() }
        return try await body(desk)
      }
    }
  }

  private var paired: PairedServer {
    get throws {
      PairedServer(
        id: server.fingerprint,
        name: "loopback",
        endpoint: try Self.endpoint(relay.port),
        dialect: known ?? knownDialect
      )
    }
  }

  /// The dialect as a pairing detects it; those of older servers are detected by their streams.
  private var knownDialect: Dialect? {
    server.configuration.dialect.stream == .session ? server.configuration.dialect : nil
  }

  private func client(_ endpoint: Endpoint) -> IntentAPIClient {
    var client = IntentAPIClient(
      network: Network(loop: loop, environment: [:]),
      destination: Network.Destination(endpoint: endpoint),
      serverName: "loopback",
      access: FixedAccess(token: server.ownerToken)
    )
    client.dialect = knownDialect
    return client
  }
}
