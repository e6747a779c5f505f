// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
package import OppiSystem
import OppiTransport

/// One prompt's whole way: it is handed over, its turn can be watched from there, and what was learned
/// by it is kept.
package struct AskRun: Sendable {
  /// A prompt that the server has.
  package struct Handover: Sendable {
    package var outcome: AskOutcome
    /// The watch over the prompt's turn, ready to run; `nil` where nobody waits for the turn.
    package var watch: TurnWatch?
  }

  /// The session that has a prompt.
  package struct Place: Sendable {
    package var server: PairedServer
    /// `nil` where the server did not name it.
    package var workspace: WorkspaceReference?
    package var sessionID: String

    package init(_ outcome: AskOutcome, on server: PairedServer) {
      self.server = server
      workspace = outcome.workspaceID.flatMap {
        WorkspaceReference(serverID: server.id, workspaceID: $0)
      }
      sessionID = outcome.sessionID
    }
  }

  private let request: AskRequest
  private let waiting: OnAsk?
  private let timeout: Duration?
  private let connections: Connections
  private let models: ModelCatalog
  private let servers: ServerStore

  /// Makes the run of a request.
  ///
  /// - Parameters:
  ///   - request: The prompt and where it goes.
  ///   - waiting: What becomes of a turn that asks for a human; `nil` where the turn is not waited
  ///     for.
  ///   - timeout: How long it may take with the turn that is waited for; `nil` for the usual time of
  ///     a delivery, and for ever for a turn.
  ///   - connections: The way to the servers.
  ///   - models: Where the model of a new session is looked up.
  ///   - servers: Where the servers' dialects are kept.
  package init(
    _ request: AskRequest,
    waiting: OnAsk?,
    timeout: Duration?,
    connections: Connections,
    models: ModelCatalog,
    servers: ServerStore
  ) {
    self.request = request
    self.waiting = waiting
    self.timeout = timeout
    self.connections = connections
    self.models = models
    self.servers = servers
  }

  /// Hands the prompt over.
  package func handOver() async throws(AskFailure) -> Handover {
    let begin = connections.loop.now
    let api = try await client()
    let delivery = try await AskPi(api: api, models: models, limits: limits)
      .perform(request, waitingForTurn: waiting != nil)
    return Handover(
      outcome: delivery.outcome,
      watch: delivery.stream.map { watch(delivery.outcome, api, $0, since: begin) }
    )
  }

  private func client() async throws(AskFailure) -> IntentAPIClient {
    do {
      return try await connections.client(for: request.target.server)
    } catch {
      throw AskFailure(
        delivery: .notSent,
        cause: error,
        server: request.target.server.name,
        clientTurnID: request.clientTurnID
      )
    }
  }

  private var limits: AskLimits {
    var limits = AskLimits()
    // A slow start is a part of the wait for the turn.
    if waiting != nil { limits.delivery.total = nil }
    if let timeout {
      limits.delivery.total = timeout
      limits.connect = min(limits.connect, timeout)
    }
    return limits
  }

  private func watch(
    _ outcome: AskOutcome,
    _ api: IntentAPIClient,
    _ stream: OpenStream,
    since begin: EventLoop.Instant
  ) -> TurnWatch {
    var server = request.target.server
    server.dialect = outcome.dialect
    let session = ServerSession(
      server: server,
      id: outcome.sessionID,
      workspaceID: outcome.workspaceID,
      workspaceName: outcome.workspaceName
    )
    var watch = TurnWatch(
      session: session,
      api: api,
      turnOf: outcome,
      prompt: request.prompt,
      adopting: stream
    )
    watch.deadline = timeout.map { begin + $0 }
    watch.onAsk = waiting ?? .wait
    return watch
  }

  /// Keeps what was learned of the server for the next time; it can be learned again.
  package func remember(_ outcome: AskOutcome) async {
    let server = request.target.server
    models.forget(server, ifItReplaced: request.newModel, with: outcome.model)
    guard server.dialect != outcome.dialect else { return }
    try? await servers.remember(outcome.dialect, of: server.id)
  }
}
