// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiPrompts
@testable import OppiTurns

/// A home in a world that is paired with several servers, for flows without a command line.
struct FlowWorld: Sendable {
  let world: World
  let servers: [VirtualServer]
  /// The number of requests that paired each server.
  private let pairingRequests: [Int]
  var paired: [PairedServer]
  let connections: Connections
  let history: AskHistoryFile
  /// The launch targets, as this program and as another program see them.
  let targets: LaunchTargetStore
  let otherTargets: LaunchTargetStore
  let context: Services

  /// Tokens are stored for all servers except `strangers`.
  fileprivate init(
    _ world: World,
    _ configurations: [FakeServer.Configuration],
    withoutTokens strangers: Set<String>
  ) async throws {
    self.world = world
    let credentials = world.services.credentials
    var servers: [VirtualServer] = []
    for configuration in configurations {
      let hasKeys = configuration.dialect.credential == .deviceKey
      let isKnown = !strangers.contains(configuration.name)
      let server = try await world.addServer(configuration, isPaired: hasKeys && isKnown)
      servers.append(server)
      guard !hasKeys, isKnown else { continue }
      let paired = try #require(try server.paired())
      try await credentials.store(try #require(server.token), for: paired.id)
    }
    self.servers = servers
    pairingRequests = servers.map(\.requests.count)
    paired = try servers.compactMap { server in
      var paired = try server.paired()
      // The dialect as a pairing detects it; those of older servers are detected by their streams.
      if server.dialect.stream == .session { paired?.dialect = server.dialect }
      return paired
    }
    context = world.services
    (connections, history, targets) = (
      context.connections, context.history, context.launchTargets
    )
    otherTargets = world.services.launchTargets
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

  /// The requests that each server received since it was paired, in server order.
  var requests: [[String]] {
    zip(servers, pairingRequests).map { server, pairing in
      server.requests.dropFirst(pairing).map { "\($0.method) \($0.path)" }
    }
  }

  /// The files that hold a launch target, claimed or not.
  var launchFiles: [String] {
    world.disk.paths.filter { $0.hasPrefix("\(World.home)/.local/state/oppi/launch-target") }
  }
}

// MARK: - Sessions and prompts of the first server

extension FlowWorld {
  var server: VirtualServer { servers[0] }

  var workspace: ServerWorkspace {
    ServerWorkspace(server: paired[0], workspace: server.workspaces[0])
  }

  var api: IntentAPIClient {
    get async throws { try await connections.client(for: paired[0]) }
  }

  /// Calls of the server's REST interface.
  var calls: ServerCalls {
    get async throws { try await api.within(.timeout) }
  }

  /// A deadline that only a hang exceeds.
  var farOff: EventLoop.Instant { world.loop.now + .timeout }

  /// Waits while agents and servers run.
  func pass(_ time: Duration = .seconds(5)) async throws { try await world.pass(time) }

  func newSession() async throws -> ServerSession {
    let order = NewSession(workspaceID: workspace.workspace.id)
    return workspace.session(try await calls.createSession(order).id)
  }

  func session(of outcome: AskOutcome) -> ServerSession { workspace.session(outcome.sessionID) }

  func status(of session: ServerSession) async throws -> Session.Status {
    try await calls.session(session.id, workspaceID: workspace.workspace.id).session.status
  }

  func stop(_ session: ServerSession) async throws {
    try await calls.stopSession(session.id, workspaceID: workspace.workspace.id)
  }

  /// Sends a prompt, by default to a new session.
  func ask(
    _ prompt: String,
    in session: ServerSession? = nil,
    id: String? = nil,
    limits: PromptDelivery.Limits = PromptDelivery.Limits(),
    waitingForTurn: Bool = false
  ) async throws -> AskDelivery {
    let request = AskRequest(
      Prompt(prompt),
      to: session.map(AskRequest.Target.session) ?? .newSession(workspace),
      clientTurnID: id ?? "turn-\(prompt)"
    )
    var run = DeliveryRun(
      of: request,
      over: try await api,
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
    id: String? = nil,
    limits: PromptDelivery.Limits = PromptDelivery.Limits(),
    waitingForTurn: Bool = false
  ) async throws -> (failure: AskFailure?, outcome: AskOutcome?) {
    do {
      let delivery = try await ask(
        prompt,
        in: session,
        id: id,
        limits: limits,
        waitingForTurn: waitingForTurn
      )
      return (nil, delivery.outcome)
    } catch let failure as AskFailure {
      return (failure, nil)
    }
  }

  /// Sends a prompt whose turn asks for approval, and returns its session and the request.
  func approval(
    waitingForTurn: Bool = false
  ) async throws -> (delivery: AskDelivery, request: PermissionRequest) {
    let delivery = try await ask("deploy", waitingForTurn: waitingForTurn)
    try await pass()
    let pending = try await calls.pendingPermissions(sessionID: delivery.outcome.sessionID)
    return (delivery, try #require(pending.first?.permission))
  }
}

extension World {
  /// The environment of flows in the home, as another process that never ends has it.
  var services: Services { process().services }
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
    (configuration.name, configuration.dialect) = (name, .deviceKeys)
    configuration.gatesCommands = true
    change(name, &configuration)
    return configuration
  }
  let (world, _) = World.play(seed: 1) { world in
    try await body(FlowWorld(world, configurations, withoutTokens: strangers))
  }
  #expect(world.violations == [], "\(world.story.joined(separator: "\n"))")
}

/// Runs a test of flows in a new world with a server, in virtual time; `known` is the dialect that an
/// earlier command has learned.
func inFlowWorld(
  _ dialect: Dialect = .deviceKeys,
  known: Dialect? = nil,
  _ change: (inout FakeServer.Configuration) -> Void = { _ in },
  _ body: @escaping @Sendable (FlowWorld) async throws -> Void
) {
  inFlowWorld(["studio"]) { _, configuration in
    configuration.dialect = dialect
    change(&configuration)
  } _: { flow in
    var flow = flow
    if let known { flow.paired[0].dialect = known }
    try await body(flow)
  }
}

/// As `inFlowWorld` above, with one member of the server's configuration.
func inFlowWorld<Value>(
  _ dialect: Dialect = .deviceKeys,
  where member: WritableKeyPath<FakeServer.Configuration, Value>,
  is value: Value,
  _ body: @escaping @Sendable (FlowWorld) async throws -> Void
) {
  inFlowWorld(dialect) {
    $0[keyPath: member] = value
  } _: { flow in
    try await body(flow)
  }
}
