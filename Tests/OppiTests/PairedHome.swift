// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiSystem
import OppiTransport
import TestSupport
import Testing

@testable import Oppi

/// A home folder that is paired with several servers, for intents that use all of them.
final class PairedHome: Sendable {
  let servers: [RunningServer]
  let paired: [PairedServer]
  private let home: Scratch

  /// Starts a server for each name.
  init(
    _ names: [String],
    _ change: (_ name: String, inout FakeServer.Configuration) -> Void = { _, _ in }
  ) throws {
    home = try Scratch()
    servers = try names.map { name in
      var configuration = FakeServer.Configuration()
      configuration.name = name
      change(name, &configuration)
      return try FakeServer.start(configuration)
    }
    paired = try servers.map { server in
      PairedServer(
        id: server.fingerprint,
        name: server.configuration.name,
        endpoint: try Bench.endpoint(server.port)
      )
    }
  }

  /// The names of the files that hold a launch target, claimed or not.
  var launchFiles: [String] {
    home.names(in: ".local/state/oppi").filter { $0.hasPrefix("launch-target") }
  }

  /// Returns a workspace by the index of its server and its own index.
  func reference(_ server: Int = 0, _ workspace: Int = 0) throws -> WorkspaceReference {
    try #require(
      WorkspaceReference(
        serverID: paired[server].id,
        workspaceID: servers[server].configuration.workspaces[workspace].id
      )
    )
  }

  /// The environment of the intents in a test.
  struct Desk: Sendable {
    let connections: Connections
    let paired: [PairedServer]
    let lastUsed: LastUsedStore
    /// The launch targets, as this program and as another program see them.
    let targets: LaunchTargetStore
    let otherTargets: LaunchTargetStore
    fileprivate let context: IntentContext

    /// The flow over the given servers, by default all.
    func opening(on servers: [PairedServer]? = nil) -> OpenNewSession {
      OpenNewSession(servers: servers ?? paired, context: context)
    }

    /// The session ids of all servers.
    func sessions() async -> [String] {
      await Fleet(paired, connections: connections).sessions().found.map(\.session.id)
    }
  }

  /// Runs the body on a new loop; tokens are stored for all servers except `strangers`.
  func run<Value: Sendable>(
    withoutTokens strangers: Set<String> = [],
    _ body: @escaping @Sendable (Desk) async throws -> Value
  ) throws -> Value {
    try onLoop { [self] loop in
      let paths = XDGPaths(environment: [:], home: home.folder)
      let files = FileStore(loop: loop)
      let credentials = CredentialStore(paths: paths, environment: [:], files: files)
      for server in servers where !strangers.contains(server.configuration.name) {
        try await credentials.store(server.ownerToken, for: server.fingerprint)
      }
      let policy = OutputPolicy(
        options: GlobalOptions(),
        environment: [:],
        destination: .init(isOutputTerminal: false, isErrorTerminal: false, width: 80)
      )
      let context = Context(
        output: Output(policy: policy, on: loop) { _, _ in },
        options: GlobalOptions(),
        environment: [:],
        paths: paths,
        network: Network(loop: loop, environment: [:])
      )
      .intents
      let other = FileStore(loop: loop, process: ProcessIdentity(id: 1) { _ in true })
      let desk = Desk(
        connections: context.connections,
        paired: paired,
        lastUsed: context.lastUsed,
        targets: context.launchTargets,
        otherTargets: LaunchTargetStore(paths: paths, files: other),
        context: context
      )
      return try await body(desk)
    }
  }
}
