// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
package import OppiModel
package import OppiTransport
import Synchronization

/// A server of the protocol on 127.0.0.1 whose agents play scripts.
///
/// It speaks for `oppi demo` and for tests, and can be made to misbehave at every step. All of it
/// runs on the thread of its loop, except for what is said to be callable from elsewhere.
package final class LoopbackServer: Sendable {
  package let configuration: Configuration
  /// The port that the system gave.
  package let port: Int
  /// What has happened so far; may be read on any thread.
  package let recorder = Recorder()
  /// The identity that invites and `/server/info` tell.
  package let fingerprint: Fingerprint
  /// A token that opens the server without pairing.
  package let ownerToken: String

  /// Taken by ``run()``, so that the port is free when that has ended.
  private let listener: Mutex<Listener?>
  private let background = Background()
  private let desk: PairingDesk
  private let router: Router
  let sessions: Sessions

  /// Binds a free port at once, or the one of the server before; connections wait in the system
  /// until ``run()``.
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
      remains?.fingerprint ?? Self.makeFingerprint(on: loop)
    ownerToken = remains?.ownerToken ?? "sk_\(loop.makeID(.token))"
    desk = PairingDesk(tokens: remains?.tokens ?? [ownerToken], loop: loop)
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
      desk: desk,
      sessions: sessions,
      loop: loop
    )
  }

  private static func makeFingerprint(on loop: EventLoop) -> Fingerprint {
    var random = loop.random
    return Fingerprint(digest: (0..<32).map { _ in .random(in: .min ... .max, using: &random) })
  }

  /// Takes a port below those that the system hands out, so that nobody has it while the server is
  /// away for a moment: not even a connection from this machine to the port itself.
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

  /// Takes the port of a server that has just ended, whose connections may take some seconds to go on
  /// a machine that is busy.
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

  /// Serves until ``stop()`` or the task's cancellation; run it on the server's loop.
  ///
  /// At the end every `/stream` gets the close code 1001.
  package func run() async {
    background.start { await self.accept() }
    await background.run()
    // One that was stopped before it began has taken no connections, and leaves its port all the same.
    _ = listener.withLock { $0.take() }
  }

  /// Lets ``run()`` end; may be called on any thread.
  package func stop() {
    background.finish()
  }

  /// Ends all sessions and then lets ``run()`` end, on whose loop it is to be called.
  ///
  /// - Returns: What another server can start from.
  @discardableResult
  package func stopInOrder() async -> Remains {
    await sessions.endAll()
    stop()
    return remains(await sessions.archive)
  }

  /// Lets ``run()`` end without a word, as if the server were killed: runs are lost, connections are
  /// cut, and only what was written is left.
  ///
  /// - Returns: What another server can start from.
  package func crash() async -> Remains {
    let remains = remains(await sessions.crash())
    stop()
    return remains
  }

  /// Lets the tool end that works in a session until it is interrupted.
  package func releaseTool(inSession id: String) async {
    await sessions.releaseTool(in: id)
  }

  /// Does something on the server's loop; may be called on any thread.
  func perform(_ job: @escaping @Sendable (LoopbackServer) async -> Void) {
    background.start { await job(self) }
  }

  /// What another server can start from, with the disk as it was at some moment.
  func remains(_ archive: Archive) -> Remains {
    Remains(
      port: port,
      fingerprint: fingerprint,
      ownerToken: ownerToken,
      workspaces: configuration.workspaces,
      tokens: desk.tokens,
      archive: archive
    )
  }

  /// Makes an invite for one pairing, which invalidates the one before; may be called on any thread.
  ///
  /// - Returns: The invite as the JSON of the QR code and as a link.
  package func makeInvite() -> (json: String, url: String) {
    let isCurrent = configuration.dialect == .multiplexed
    let invite = JSONValue.object([
      "v": 3,
      "host": "127.0.0.1",
      "port": .number(port),
      "scheme": configuration.tls == nil ? (isCurrent ? "http" : nil) : "https",
      "token": "",
      "pairingToken": .string(desk.makeInvite(lifetime: configuration.limits.inviteLifetime)),
      "name": .string(configuration.name),
      "tlsCertFingerprint": configuration.certificatePin.map { .string($0.text) },
      "fingerprint": .string(fingerprint.text),
    ])
    let json = invite.text()
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
