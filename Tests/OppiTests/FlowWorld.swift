// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import Simulation
import Testing

@testable import Oppi

/// A home in a world that is paired with several servers, for flows without a command line.
///
/// The servers are those of spring 2026, whose requests are only those that a flow makes.
struct FlowWorld: Sendable {
  let world: World
  let servers: [VirtualServer]
  let paired: [PairedServer]
  let connections: Connections
  let history: AskHistoryFile
  /// The launch targets, as this program and as another program see them.
  let targets: LaunchTargetStore
  let otherTargets: LaunchTargetStore
  let context: IntentContext

  /// Tokens are stored for all servers except `strangers`.
  fileprivate init(
    _ world: World,
    _ configurations: [FakeServer.Configuration],
    withoutTokens strangers: Set<String>
  ) async throws {
    self.world = world
    let credentials = world.intents.credentials
    var servers: [VirtualServer] = []
    for configuration in configurations {
      let server = try await world.addServer(configuration, isPaired: false)
      servers.append(server)
      guard !strangers.contains(server.name) else { continue }
      let paired = try #require(try server.paired())
      try await credentials.store(try #require(server.token), for: paired.id)
    }
    self.servers = servers
    paired = try servers.compactMap { try $0.paired() }
    context = world.intents
    (connections, history, targets) = (
      context.connections, context.history, context.launchTargets
    )
    otherTargets = world.intents.launchTargets
  }

  /// Returns a workspace by the index of its server and its own index.
  func reference(_ server: Int = 0, _ workspace: Int = 0) throws -> WorkspaceReference {
    try #require(
      WorkspaceReference(
        serverID: paired[server].id,
        workspaceID: servers[server].workspaces[workspace].id
      )
    )
  }

  /// The flow over the given servers, by default all.
  func opening(on servers: [PairedServer]? = nil) -> OpenNewSession {
    OpenNewSession(servers: servers ?? paired, context: context)
  }

  /// The session ids of all servers.
  func sessions() async -> [String] {
    await Fleet(paired, connections: connections).sessions().found.map(\.session.id)
  }

  /// The requests that each server received, in server order.
  var requests: [[String]] {
    servers.map { $0.requests.map { "\($0.method) \($0.path)" } }
  }

  /// The files that hold a launch target, claimed or not.
  var launchFiles: [String] {
    world.disk.paths.filter { $0.hasPrefix("\(World.home)/.local/state/oppi/launch-target") }
  }
}

extension World {
  /// The environment of flows in the home, as another process that never ends has it.
  var intents: IntentContext { process().intents }
}

/// Runs a test of flows in a new world with a server of each name, in virtual time.
func inFlowWorld(
  _ names: [String],
  withoutTokens strangers: Set<String> = [],
  _ change: (_ name: String, inout FakeServer.Configuration) -> Void = { _, _ in },
  _ body: @escaping @Sendable (FlowWorld) async throws -> Void
) {
  let configurations = names.map { name in
    var configuration = FakeServer.Configuration()
    (configuration.name, configuration.dialect) = (name, .multiplexed)
    change(name, &configuration)
    return configuration
  }
  let (world, _) = World.play(seed: 1) { world in
    try await body(FlowWorld(world, configurations, withoutTokens: strangers))
  }
  #expect(world.violations == [], "\(world.story.joined(separator: "\n"))")
}
