// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import HTTPCodec
import OppiModel
import OppiSystem
import OppiTransport
import Synchronization
import TestSupport
import Testing

@testable import Oppi

/// A home folder, and a server that enrols device keys.
final class DeviceHome: Sendable {
  let server: RunningServer
  private let home: Scratch

  init(
    _ change: (inout FakeServer.Configuration) -> Void = { _ in }
  ) throws {
    home = try Scratch()
    var configuration = FakeServer.Configuration()
    configuration.dialect = .deviceKeys
    configuration.acceptsPlainHTTP = true
    change(&configuration)
    server = try FakeServer.start(configuration)
  }

  /// A home whose server answers the first requests to a path with interventions.
  convenience init(
    answering path: String,
    _ interventions: [Intervention],
    _ change: (inout FakeServer.Configuration) -> Void = { _ in }
  ) throws {
    let rest = RestOf(interventions)
    try self.init {
      $0.interceptor = { step in
        guard case .request(let request, _) = step, request.target == path else { return .proceed }
        return rest.next()
      }
      change(&$0)
    }
  }

  /// The interventions that were not made yet.
  private final class RestOf: Sendable {
    private let interventions: Mutex<[Intervention]>

    init(_ interventions: [Intervention]) { self.interventions = Mutex(interventions) }

    func next() -> Intervention {
      interventions.withLock { $0.isEmpty ? .proceed : $0.removeFirst() }
    }
  }

  static let tokenFile = ".local/state/oppi/access-tokens.json"

  /// The text of the file with the shared tokens.
  var tokens: String? { home.read(Self.tokenFile) }

  func writeTokens(_ text: String, mode: UInt32 = 0o600) throws {
    try home.write(text, to: Self.tokenFile, mode: mode)
  }

  /// The files in the folder of the state.
  var stateFiles: [String] { home.names(in: ".local/state/oppi") }

  func requests(_ path: String) -> Int {
    server.journal.requests.count { $0.path == path }
  }

  /// What a process of the user sees.
  struct Process: Sendable {
    let loop: EventLoop
    let servers: ServerStore
    let credentials: CredentialStore
    let tokens: AccessTokenStore

    var connections: Connections {
      Connections(
        network: Network(loop: loop, environment: [:]),
        credentials: credentials,
        tokens: tokens
      )
    }

    /// Pairs by an invite.
    func pair(with server: RunningServer) async throws -> PairedServer {
      let pairing = Pairing(
        network: Network(loop: loop, environment: [:]),
        servers: servers,
        credentials: credentials,
        tokens: tokens
      )
      return try await pairing.pair(
        with: Invite(try server.makeInvite().url),
        name: "studio",
        until: .farOff
      ).server
    }

    /// Calls `GET /me` with a new client.
    func me(_ server: PairedServer) async throws(OppiError) {
      try await connections.client(for: server).until(.farOff).me()
    }

    /// Calls `GET /me`, and returns the error.
    func failure(_ server: PairedServer) async -> OppiError? {
      do throws(OppiError) {
        try await me(server)
        return nil
      } catch {
        return error
      }
    }
  }

  /// The processes of one user on a loop; each call of `process` makes another.
  func run(
    _ body: @escaping @Sendable (_ process: @Sendable () -> Process) async throws -> Void
  ) throws {
    let paths = XDGPaths(environment: [:], home: home.folder)
    try onLoop { loop in
      try await body {
        let files = FileStore(loop: loop)
        return Process(
          loop: loop,
          servers: ServerStore(paths: paths, files: files),
          credentials: CredentialStore(paths: paths, environment: [:], files: files),
          tokens: AccessTokenStore(paths: paths, files: files)
        )
      }
    }
  }

  /// As ``run(_:)``, after one process has paired with the server.
  func runPaired(
    _ body: @escaping @Sendable (@Sendable () -> Process, PairedServer) async throws -> Void
  ) throws {
    try run { [server] process in try await body(process, try await process().pair(with: server)) }
  }

  /// The server as paired.
  func paired(port: Int? = nil) throws -> PairedServer {
    PairedServer(
      id: server.fingerprint,
      name: "studio",
      endpoint: try .loopback(port ?? server.port)
    )
  }
}
