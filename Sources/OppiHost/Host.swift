// SPDX-License-Identifier: MIT

package import EventLoop
import OppiText
package import OppiTransport
package import OppiWire
import Synchronization

/// A protocol server on 127.0.0.1 for the sessions of one kind of agent.
///
/// It runs on the thread of its loop, except for members that are marked as safe on any thread.
package final class Host: Sendable {
  package let configuration: HostConfiguration
  package let port: Int
  /// The identity in invites and `/server/info`.
  package let fingerprint: Fingerprint
  package let sessions: Sessions
  let parts: HostParts
  let loop: EventLoop

  /// Taken by ``run()``, so that the port is free when that returns.
  private let listener: Mutex<Listener?>
  private let background = Background()

  /// A host of the connections that a listener accepts; the system queues them until ``run()``.
  package init(
    _ configuration: HostConfiguration,
    _ parts: HostParts,
    _ listener: Listener,
    on loop: EventLoop
  ) {
    self.configuration = configuration
    self.parts = parts
    self.loop = loop
    self.listener = Mutex(listener)
    port = listener.port
    fingerprint =
      configuration.fingerprint ?? configuration.identity?.fingerprint
      ?? Self.makeFingerprint(on: loop)
    sessions = Sessions(configuration, parts, fingerprint, background: background, loop: loop)
  }

  private static func makeFingerprint(on loop: EventLoop) -> Fingerprint {
    var random = loop.random
    return Fingerprint(digest: (0..<32).map { _ in .random(in: .min ... .max, using: &random) })
  }

  /// Serves until ``stop()`` or the task's cancellation; call it on the server's loop.
  ///
  /// At the end, the streams are closed with code 1001.
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

  /// Runs a job on the server's loop; may be called on any thread.
  package func perform(_ job: @escaping @Sendable () async -> Void) {
    background.start(job)
  }

  /// Creates an invite for one pairing and invalidates the previous one; may be called on any
  /// thread.
  ///
  /// - Returns: The invite as JSON for the QR code, and as a link.
  /// - Throws: `CryptoError` if it cannot be signed.
  package func makeInvite() throws(CryptoError) -> (json: String, url: String) {
    let token = parts.invites.make()
    let invite = parts.variant.invite(
      .object([
        "v": 3,
        "host": .string(configuration.host),
        "port": .number(port),
        "scheme": configuration.tls == nil ? "http" : "https",
        "token": "",
        "pairingToken": .string(token),
        "name": .string(configuration.name),
        "tlsCertFingerprint": configuration.certificatePin.map { .string($0.text) },
        "fingerprint": .string(fingerprint.text),
      ])
    )
    let json = try (configuration.identity?.seal(invite) ?? invite).text()
    return (json, "oppi://connect?v=3&invite=\(Base64.encodeURL(Array(json.utf8)))")
  }

  private func accept() async {
    guard let listener = listener.withLock({ $0.take() }) else { return }
    var number = 0
    while let accepted = try? await listener.accept() {
      number += 1
      let connection = Connection(id: number, host: self, accepted: accepted)
      background.start { await connection.serve() }
    }
  }
}

/// What a host is made of; all but the agent and the access are those of today's servers by default.
package struct HostParts: Sendable {
  package var agent: any HostAgent
  package var access: any HostAccess
  package var invites: Invites
  package var routes = Route.all
  package var sockets = SocketService.table
  package var variant = HostVariant()
  package var filter = ConnectionFilter()
  /// The data of an earlier host.
  package var archive = Archive()

  package init(agent: any HostAgent, access: any HostAccess, invites: Invites) {
    self.agent = agent
    self.access = access
    self.invites = invites
  }

  /// The parts of a host that enrols device keys, with or without TLS.
  package init(agent: any HostAgent, on loop: EventLoop) {
    let invites = Invites(loop: loop)
    let access = DeviceAccess(DeviceAccess.Rules(), invites: invites, loop: loop)
    self.init(agent: agent, access: access, invites: invites)
  }
}
