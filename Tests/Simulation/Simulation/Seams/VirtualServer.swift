// SPDX-License-Identifier: MIT

import EventLoop
package import LoopbackServer
package import OppiModel
import Synchronization

/// A server in a world: its processes come and go, what it remembers on disk stays.
package final class VirtualServer: Sendable {
  private struct State {
    var server: LoopbackServer?
    var task: Task<Void, Never>?
    var remains: LoopbackServer.Remains?
    var journals: [Recorder] = []
  }

  package let name: String
  /// The name by which programs find it.
  package let host: String
  package let address: String
  private let world: World
  private let configuration: LoopbackServer.Configuration
  private let state = Mutex(State())

  init(_ configuration: LoopbackServer.Configuration, number: Int, in world: World) {
    self.configuration = configuration
    self.world = world
    name = configuration.name
    host = "\(configuration.name).lan"
    address = "10.0.0.\(number)"
  }

  package var dialect: PairedServer.Dialect { configuration.dialect }

  /// Whether a process of it runs.
  package var isRunning: Bool { state.withLock { $0.server != nil } }

  /// Starts the first process, or the next one from what is left of the one before.
  package func start() throws {
    let remains = state.withLock(\.remains)
    let server = try LoopbackServer(
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
    world.tell("server \(name): started at \(host):\(server.port)")
  }

  /// How a server's process goes.
  package enum End: Sendable {
    case inOrder
    /// The system closes its connections.
    case killed
    /// Nothing is heard of it any more.
    case powerless
  }

  /// Ends the process; it can be started again.
  package func end(_ way: End) async {
    let (server, task) = state.withLock { ($0.server, $0.task) }
    guard let server else { return }
    world.tell("server \(name): \(way)")
    if case .powerless = way { world.network.dropConnections(at: address) }
    let remains: LoopbackServer.Remains
    switch way {
    case .inOrder: remains = await server.stopInOrder()
    case .killed, .powerless: remains = await server.crash()
    }
    await task?.value
    state.withLock { state in
      state.server = nil
      state.task = nil
      state.remains = remains
    }
  }

  /// Lets the tool end that works in a session until it is interrupted.
  package func releaseTool(inSession id: String) async {
    let server = state.withLock(\.server)
    await server?.releaseTool(inSession: id)
  }

  /// The JSON of an invite for one pairing; `nil` while the server is away.
  package func inviteText() -> String? {
    guard let json = state.withLock({ $0.server?.makeInvite().json }),
      var members = (try? JSONValue(parsing: Array(json.utf8)))?.object
    else { return nil }
    members["host"] = .string(host)
    return JSONValue.object(members).text()
  }

  /// The entry that a program has of the server it was paired with.
  func paired() throws -> PairedServer? {
    guard let server = state.withLock(\.server),
      let endpoint = Endpoint(scheme: .http, host: host, port: server.port)
    else { return nil }
    return PairedServer(
      id: server.fingerprint,
      name: name,
      endpoint: endpoint,
      certificatePin: nil,
      addedAt: 1_700_000_000,
      proxy: nil
    )
  }

  /// A token that opens the server.
  package var token: String? { state.withLock { $0.server?.ownerToken } }

  /// The composite id of the first workspace.
  package var reference: WorkspaceReference? {
    state.withLock(\.server).flatMap {
      WorkspaceReference(serverID: $0.fingerprint, workspaceID: workspaces[0].id)
    }
  }

  /// The server's workspaces.
  package var workspaces: [Workspace] { configuration.workspaces }

  /// What agents heard, in all of the server's lives.
  package var runs: [Journal.Run] { state.withLock { $0.journals.flatMap(\.journal.runs) } }

  /// What was asked over REST, in all of the server's lives.
  package var requests: [Journal.Request] {
    state.withLock { $0.journals.flatMap(\.journal.requests) }
  }

  /// What came over WebSockets, in all of the server's lives.
  package var messages: [Journal.Message] {
    state.withLock { $0.journals.flatMap(\.journal.messages) }
  }
}
