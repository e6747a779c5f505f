// SPDX-License-Identifier: MIT

import EventLoop
package import FakeServer
package import OppiWire
import Synchronization

/// A server in a world: its process can be restarted, its disk state persists.
package final class VirtualServer: Sendable {
  private struct State {
    var server: FakeServer?
    var isEnding = false
    var task: Task<Void, Never>?
    /// The time without a process after a fault.
    var absence: Task<Void, Never>?
    var remains: FakeServer.Remains?
    var journals: [Recorder] = []
    /// When all tokens ended last.
    var lastExpiry: Duration?
    var lastRefresh: Duration?
    var isRevoked = false
  }

  /// The least time between two ends of all tokens: a token that a request has just replaced is
  /// accepted.
  private static let expiryInterval = Duration.seconds(30)
  /// Longer than a request, which is repeated with a new token only once.
  private static let freshness = Duration.seconds(12)

  package let name: String
  /// The host name that programs resolve.
  package let host: String
  package let address: String
  let world: World
  private let configuration: FakeServer.Configuration
  private let state = Mutex(State())
  /// The interceptor of the configuration.
  let given: Interceptor?

  init(_ configuration: FakeServer.Configuration, number: Int, in world: World) {
    self.world = world
    name = configuration.name
    host = "\(configuration.name).lan"
    var configuration = configuration
    configuration.host = host
    // The streams of a world have no TLS.
    configuration.acceptsPlainHTTP = true
    given = configuration.interceptor
    self.configuration = configuration
    address = "10.0.0.\(number)"
  }

  package var dialect: Dialect { configuration.dialect }

  package var isRunning: Bool { state.withLock { $0.server != nil } }

  /// Starts a process with the disk state of the previous process.
  package func start() throws {
    let remains = state.withLock(\.remains)
    var configuration = configuration
    if dialect.stream == .session {
      configuration.interceptor = { [weak self] step in self?.intervene(at: step) ?? .proceed }
    }
    let server = try FakeServer(
      configuration: configuration,
      loop: world.loop,
      sockets: VirtualSockets(network: world.network, owner: 0, address: address),
      from: remains
    )
    let task = Task(executorPreference: world.loop) { await server.run() }
    state.withLock { state in
      state.server = server
      state.task = task
      state.journals.append(server.recorder)
    }
    world.tell("server \(name): started at \(host):\(server.port), \(dialect.name)")
  }

  package enum End: Sendable {
    case inOrder
    /// The system closes its connections.
    case killed
    /// Its connections fall silent.
    case powerless
  }

  /// Ends the process; it can be started again.
  package func end(_ way: End) async {
    let (server, task) = state.withLock { state in
      defer { state.isEnding = state.server != nil }
      return (state.isEnding ? nil : state.server, state.task)
    }
    guard let server else { return }
    world.tell("server \(name): \(way)")
    if case .powerless = way { world.network.dropConnections(at: address) }
    let remains: FakeServer.Remains
    switch way {
    case .inOrder: remains = await server.stopInOrder()
    case .killed, .powerless: remains = await server.crash()
    }
    await task?.value
    state.withLock { state in
      state.server = nil
      state.isEnding = false
      state.task = nil
      state.remains = remains
    }
  }

  /// Kills the process, and starts it again after a pause.
  func die(for pause: Duration) {
    let absence = Task(executorPreference: world.loop) { [self] in
      await end(.killed)
      try? await world.loop.sleep(for: pause)
      world.restore(self)
    }
    state.withLock { $0.absence = absence }
  }

  /// Waits until the process runs again that a fault has killed.
  func returned() async { await state.withLock(\.absence)?.value }

  /// Ends a tool call that runs until it is released or interrupted.
  package func releaseTool(inSession id: String) async {
    let server = state.withLock(\.server)
    await server?.releaseTool(inSession: id)
  }

  /// Ends all agents and starts them again, as another client can do.
  package func restartAgents() async {
    let server = state.withLock(\.server)
    await server?.restartAgents()
  }

  /// Revokes all devices, which closes their streams.
  package func revokeDevices() {
    state.withLock { state in
      state.isRevoked = true
      return state.server
    }?
    .revokeDevices()
  }

  /// Whether all devices were revoked.
  var isRevoked: Bool { state.withLock(\.isRevoked) }

  /// The number of access tokens that the current process has issued for signatures.
  package var refreshes: Int { state.withLock { $0.server?.refreshes ?? 0 } }

  /// Ends all access tokens, which closes the streams that were opened with them.
  package func expireTokens() { state.withLock(\.server)?.expireTokens() }

  /// Whether the last end of all tokens, and the last refresh, are long enough ago; the next end is
  /// now.
  func mayExpireTokens() -> Bool {
    let now = world.kernel.elapsed
    return state.withLock { state in
      guard state.lastExpiry.map({ now >= $0 + Self.expiryInterval }) ?? true,
        state.lastRefresh.map({ now >= $0 + Self.freshness }) ?? true
      else { return false }
      state.lastExpiry = now
      return true
    }
  }

  func noteRefresh() { state.withLock { $0.lastRefresh = world.kernel.elapsed } }

  /// The JSON of an invite for one pairing; `nil` while the server is down, or if the invite cannot
  /// be signed.
  package func inviteText() -> String? { state.withLock { try? $0.server?.makeInvite().json } }

  /// The server's entry in a paired home; `nil` while the server is down.
  package func paired() throws -> PairedServer? {
    guard let server = state.withLock(\.server),
      let endpoint = Endpoint(scheme: .http, host: host, port: server.port)
    else { return nil }
    return PairedServer(
      id: server.fingerprint,
      name: name,
      endpoint: endpoint,
      certificatePin: nil,
      isProven: configuration.identity != nil,
      addedAt: 1_700_000_000,
      proxy: nil
    )
  }

  /// The owner's token; `nil` while the server is down.
  package var token: String? { state.withLock { $0.server?.ownerToken } }

  /// The composite id of the first workspace.
  package var reference: WorkspaceReference? {
    state.withLock(\.server).flatMap {
      WorkspaceReference(serverID: $0.fingerprint, workspaceID: workspaces[0].id)
    }
  }

  package var workspaces: [Workspace] { configuration.workspaces }

  /// The prompts that agents ran, over all restarts.
  package var runs: [Journal.Run] { state.withLock { $0.journals.flatMap(\.journal.runs) } }

  /// The number of accepted connections, over all restarts.
  package var connections: Int {
    state.withLock { $0.journals.reduce(0) { $0 + $1.journal.connections } }
  }

  /// The REST requests received, over all restarts.
  package var requests: [Journal.Request] {
    state.withLock { $0.journals.flatMap(\.journal.requests) }
  }

  /// The WebSocket messages received, over all restarts.
  package var messages: [Journal.Message] {
    state.withLock { $0.journals.flatMap(\.journal.messages) }
  }
}
