// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
package import OppiModel
package import OppiTransport
import Synchronization

/// A protocol server on 127.0.0.1 whose agents follow scripts.
///
/// Used by `oppi demo` and tests; it can be made to misbehave at every step. It runs on the thread
/// of its loop, except for members that are marked as safe on any thread.
package final class FakeServer: Sendable {
  package let configuration: Configuration
  package let port: Int
  /// May be read on any thread.
  package let recorder = Recorder()
  /// The identity in invites and `/server/info`.
  package let fingerprint: Fingerprint
  /// A token that is valid without pairing.
  package let ownerToken: String

  /// Taken by ``run()``, so that the port is free when that returns.
  private let listener: Mutex<Listener?>
  private let background = Background()
  private let pairing: PairingRoutes
  /// Issues the tokens of servers with device keys; `nil` on others.
  let access: AccessRoutes?
  private let router: Router
  let sessions: Sessions

  /// Binds a free port or the port of the remains.
  ///
  /// The system queues connections until ``run()``.
  package init(
    configuration: Configuration,
    loop: EventLoop,
    sockets: any SocketSystem = SystemSockets(),
    from remains: Remains? = nil
  ) throws(SystemError) {
    var configuration = configuration
    if let remains {
      configuration.workspaces = remains.workspaces
      configuration.age = .zero
    }
    self.configuration = configuration
    let listener = try Self.listener(on: loop, sockets, port: remains?.port)
    self.listener = Mutex(listener)
    port = listener.port
    fingerprint =
      remains?.fingerprint ?? configuration.identity?.fingerprint ?? Self.makeFingerprint(on: loop)
    ownerToken = remains?.ownerToken ?? "sk_\(loop.makeID(.token))"
    pairing = PairingRoutes(tokens: remains?.tokens ?? [ownerToken], loop: loop)
    access = AccessRoutes(configuration: configuration, from: remains, loop: loop)
    sessions = Sessions(
      configuration: configuration,
      loop: loop,
      background: background,
      recorder: recorder,
      archive: remains?.archive ?? Archive()
    )
    router = Router(
      configuration: configuration,
      fingerprint: fingerprint,
      pairing: pairing,
      access: access,
      sessions: sessions,
      loop: loop
    )
  }

  private static func makeFingerprint(on loop: EventLoop) -> Fingerprint {
    var random = loop.random
    return Fingerprint(digest: (0..<32).map { _ in .random(in: .min ... .max, using: &random) })
  }

  /// Chooses a port below the ephemeral range.
  ///
  /// No other process, and no connection from this machine to the port itself, takes it while the
  /// server is briefly down.
  private static func listener(
    on loop: EventLoop,
    _ sockets: any SocketSystem,
    port: Int?
  ) throws(SystemError) -> Listener {
    if let port { return try listener(on: loop, sockets, againAt: port) }
    var random = loop.random
    for _ in 0..<50 {
      let port = Int.random(in: 20_000..<32_000, using: &random)
      if let listener = try? Listener(loop: loop, sockets: sockets, port: port) {
        return listener
      }
    }
    return try Listener(loop: loop, sockets: sockets)
  }

  /// Binds the port of a server that has just ended; its connections may take seconds to close.
  private static func listener(
    on loop: EventLoop,
    _ sockets: any SocketSystem,
    againAt port: Int
  ) throws(SystemError) -> Listener {
    for _ in 0..<1000 {
      if let listener = try? Listener(loop: loop, sockets: sockets, port: port) { return listener }
      poll(nil, 0, 10)
    }
    return try Listener(loop: loop, sockets: sockets, port: port)
  }

  /// Serves until ``stop()`` or the task's cancellation; call it on the server's loop.
  ///
  /// At the end, every `/stream` receives close code 1001.
  package func run() async {
    background.start { await self.accept() }
    await background.run()
    // A server stopped before it started has not taken the listener, but must release the port.
    _ = listener.withLock { $0.take() }
  }

  /// Makes ``run()`` return; may be called on any thread.
  package func stop() {
    background.finish()
  }

  /// Ends all sessions and makes ``run()`` return; call it on the server's loop.
  ///
  /// - Returns: The remains for another server.
  @discardableResult
  package func stopInOrder() async -> Remains {
    await sessions.endAll()
    stop()
    return remains(await sessions.archive)
  }

  /// Makes ``run()`` return as if the server were killed: runs are lost, connections are closed,
  /// and only written data remains.
  ///
  /// - Returns: The remains for another server.
  package func crash() async -> Remains {
    let remains = remains(await sessions.crash())
    stop()
    return remains
  }

  /// Ends all agents and starts them again, as another client can do.
  package func restartAgents() async { await sessions.restartAgents() }

  package func releaseTool(inSession id: String) async {
    await sessions.releaseTool(in: id)
  }

  /// Runs a job on the server's loop; may be called on any thread.
  func perform(_ job: @escaping @Sendable (FakeServer) async -> Void) {
    background.start { await job(self) }
  }

  func remains(_ archive: Archive) -> Remains {
    Remains(
      port: port,
      fingerprint: fingerprint,
      ownerToken: ownerToken,
      workspaces: configuration.workspaces,
      tokens: access.map { $0.records.legacyTokens.union([ownerToken]) } ?? pairing.tokens,
      access: access?.records,
      archive: archive
    )
  }

  /// Creates an invite for one pairing and invalidates the previous one; may be called on any
  /// thread.
  ///
  /// - Returns: The invite as JSON for the QR code, and as a link.
  /// - Throws: `CryptoError` if it cannot be signed.
  package func makeInvite() throws(CryptoError) -> (json: String, url: String) {
    let invite = JSONValue.object([
      "v": 3,
      "host": .string(configuration.host),
      "port": .number(port),
      "scheme": configuration.tls == nil ? (configuration.dialect.isFirst ? nil : "http") : "https",
      "token": "",
      "pairingToken": .string(pairing.makeInvite(lifetime: configuration.limits.inviteLifetime)),
      "name": .string(configuration.name),
      "tlsCertFingerprint": configuration.certificatePin.map { .string($0.text) },
      "fingerprint": .string(fingerprint.text),
    ])
    let json = try (configuration.identity?.seal(invite) ?? invite).text()
    return (json, "oppi://connect?v=3&invite=\(Base64.encodeURL(Array(json.utf8)))")
  }

  private func accept() async {
    guard let listener = listener.withLock({ $0.take() }) else { return }
    var connection = 0
    while let accepted = try? await listener.accept() {
      connection += 1
      let handler = ConnectionHandler(
        id: connection,
        configuration: configuration,
        recorder: recorder,
        router: router,
        sessions: sessions
      )
      background.start { await handler.serve(accepted) }
    }
  }
}
