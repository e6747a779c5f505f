// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import OppiHost
package import OppiTransport
package import OppiWire
import Synchronization

/// A server for tests: a host that can speak older dialects, and misbehave at every step.
///
/// It runs on the thread of its loop, except for members that are marked as safe on any thread.
package final class FakeServer: Sendable {
  package let configuration: Configuration
  /// May be read on any thread.
  package let recorder = Recorder()
  /// A token that is valid without pairing, on servers without device keys.
  package let ownerToken: String
  let host: Host
  let variant: FakeVariant
  private let filter: FaultFilter
  /// `nil` on servers with device keys.
  private let bearers: BearerAccess?
  /// `nil` on servers without device keys.
  private let devices: MigratingAccess?

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
    if let remains { configuration.workspaces = remains.workspaces }
    self.configuration = configuration
    ownerToken = remains?.ownerToken ?? "sk_\(loop.makeID(.token))"
    variant = FakeVariant(configuration, recorder, remains?.memory ?? .init(), on: loop)
    filter = FaultFilter(configuration, recorder, on: loop)
    let invites = Invites(loop: loop)
    let access: any HostAccess
    if configuration.dialect.credential == .deviceKey {
      let devices = MigratingAccess(configuration, invites: invites, from: remains, loop: loop)
      (access, bearers, self.devices) = (devices, nil, devices)
    } else {
      let tokens = remains?.tokens ?? [ownerToken]
      let bearers = BearerAccess(tokens: tokens, invites: invites, loop: loop)
      (access, self.bearers, devices) = (bearers, bearers, nil)
    }
    var parts = HostParts(agent: configuration.agent, access: access, invites: invites)
    parts.variant = variant.variant
    parts.filter = filter.filter
    parts.routes = variant.routes
    parts.sockets = variant.sockets
    if let remains { parts.archive = remains.archive(for: configuration.dialect) }
    var hosted = configuration.hosted
    if let remains { (hosted.fingerprint, hosted.age) = (remains.fingerprint, .zero) }
    let listener = try Self.listener(on: loop, sockets, port: remains?.port)
    host = Host(hosted, parts, listener, on: loop)
  }

  /// Binds the port of a server that has just ended, whose connections may take seconds to close, or
  /// a free port below the ephemeral range.
  ///
  /// No connection from this machine, and none of the next thousands of servers of this process,
  /// takes such a port while the server is down.
  private static func listener(
    on loop: EventLoop,
    _ sockets: any SocketSystem,
    port: Int?
  ) throws(SystemError) -> Listener {
    var random = loop.random
    for _ in 0..<(port == nil ? 50 : 1000) {
      let isReal = sockets is SystemSockets
      let place = port ?? (isReal ? nextPort() : .random(in: ports, using: &random))
      if let listener = try? Listener(loop: loop, sockets: sockets, port: place) {
        return listener
      }
      if port != nil { poll(nil, 0, 10) }
    }
    return try Listener(loop: loop, sockets: sockets, port: port ?? 0)
  }

  private static let ports = 20_000..<32_000
  private static let startedServers = Mutex(Int.random(in: 0..<ports.count))

  /// A port that no server of this process had among the last thousands; may be called on any thread.
  static func nextPort() -> Int {
    startedServers.withLock { count in
      count += 1
      return ports.lowerBound + count % ports.count
    }
  }

  package var port: Int { host.port }
  /// The identity in invites and `/server/info`.
  package var fingerprint: Fingerprint { host.fingerprint }

  /// Serves until ``stop()`` or the task's cancellation; call it on the server's loop.
  ///
  /// At the end, the streams are closed with code 1001, except for those of the first servers.
  package func run() async { await host.run() }

  /// Makes ``run()`` return; may be called on any thread.
  package func stop() { host.stop() }

  // MARK: - Ends

  /// Ends all sessions and makes ``run()`` return; call it on the server's loop.
  ///
  /// - Returns: The remains for another server.
  @discardableResult
  package func stopInOrder() async -> Remains {
    await variant.endAll(in: host.sessions)
    stop()
    return await remains()
  }

  /// Makes ``run()`` return as if the server were killed: runs are lost, connections are closed,
  /// and only written data remains.
  ///
  /// - Returns: The remains for another server.
  package func crash() async -> Remains {
    let remains = await remains(isCrash: true)
    stop()
    return remains
  }

  func remains(isCrash: Bool = false) async -> Remains {
    let archive = await variant.archive(of: host.sessions) { [filter] in
      if isCrash { filter.disableOutput() }
    }
    return Remains(
      port: port,
      fingerprint: fingerprint,
      ownerToken: ownerToken,
      workspaces: configuration.workspaces,
      tokens: (bearers?.tokens ?? devices?.legacyTokens ?? []).union([ownerToken]),
      devices: devices?.devices.devices,
      archive: archive,
      memory: variant.memory
    )
  }

  /// Ends all agents and starts them again, as another client can do.
  package func restartAgents() async { await variant.restartAgents(of: host.sessions) }
}

/// What tests do with a server; without effect on devices if the server has no device keys.
///
/// All members may be used on any thread.
package protocol ControlledServer: Sendable {
  var server: FakeServer { get }
}

extension FakeServer: ControlledServer {
  package var server: FakeServer { self }

  fileprivate var deviceAccess: DeviceAccess? { devices?.devices }
}

extension ControlledServer {
  /// See ``Host/makeInvite()``.
  package func makeInvite() throws(CryptoError) -> (json: String, url: String) {
    try server.host.makeInvite()
  }

  /// Ends the tool of a session that works until it is interrupted.
  package func releaseTool(inSession id: String) async {
    await server.variant.releaseTool(of: id, in: server.host.sessions)
  }

  package func revokeDevices() {
    for device in server.deviceAccess?.devices ?? [] { revokeDevice(device.id) }
  }

  /// Revokes a device; returns false if it is unknown or revoked already.
  @discardableResult
  package func revokeDevice(_ id: String) -> Bool { server.deviceAccess?.revoke(id) ?? false }

  /// Ends all access tokens as if their time were over.
  package func expireTokens() { server.deviceAccess?.expireAll() }

  /// The number of access tokens issued for signatures.
  package var refreshes: Int { server.deviceAccess?.refreshCount ?? 0 }

  /// Enrols a key without an invite; `nil` on servers without device keys.
  package func enrol(
    _ key: DevicePublicKey,
    name: String? = nil
  ) -> (deviceID: String, token: String)? {
    server.deviceAccess.map { access in
      let grant = access.enrol(key, name: name)
      return (grant.deviceID, grant.token.text)
    }
  }
}

extension FakeServer {
  /// What remains of a server that has ended; another server can start from it.
  package struct Remains: Sendable {
    package let port: Int
    package let fingerprint: Fingerprint
    package let ownerToken: String
    package let workspaces: [Workspace]
    let tokens: Set<String>
    let devices: [EnrolledDevice]?
    let archive: Archive
    let memory: FakeVariant.Memory

    /// The data as a server finds it when it starts.
    func archive(for dialect: Dialect) -> Archive {
      var archive = archive
      guard dialect.stopsSessionsAtLaunch else { return archive }
      for index in archive.sessions.indices { archive.sessions[index].status = .stopped }
      return archive
    }
  }
}
