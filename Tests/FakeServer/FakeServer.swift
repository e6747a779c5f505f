// SPDX-License-Identifier: MIT

package import EventLoop
import OppiHost
package import OppiModel
package import OppiTransport

/// A server for tests: a host that can speak older dialects, and misbehave at every step.
///
/// It runs on the thread of its loop, except for members that are marked as safe on any thread.
package final class FakeServer: Sendable {
  package let configuration: Configuration
  /// May be read on any thread.
  package let recorder: Recorder
  /// A token that is valid without pairing, on servers without device keys.
  package let ownerToken: String
  let host: Host
  let variant: FakeVariant
  private let filter: FaultFilter
  private let access: FakeAccess

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
    recorder = Recorder()
    ownerToken = remains?.ownerToken ?? "sk_\(loop.makeID(.token))"
    variant = FakeVariant(configuration, recorder, from: remains, on: loop)
    filter = FaultFilter(configuration, recorder, on: loop)
    let invites = Invites(loop: loop)
    access =
      configuration.dialect.credential == .deviceKey
      ? .devices(MigratingAccess(configuration, invites: invites, from: remains, loop: loop))
      : .bearers(
        BearerAccess(
          tokens: remains?.tokens ?? [ownerToken],
          invites: invites,
          acceptsQuery: configuration.dialect.acceptsTokensInQuery,
          loop: loop
        )
      )
    var parts = HostParts(agent: configuration.agent, access: access.access, invites: invites)
    parts.variant = variant
    parts.filter = filter
    parts.routes = variant.routes
    parts.commands = variant.commands
    parts.upgrades = variant.upgrades
    parts.archive = remains?.archive(for: configuration.dialect) ?? Archive()
    var hosted = configuration.hosted
    hosted.port = remains?.port
    hosted.fingerprint = remains?.fingerprint
    host = try Host(hosted, parts, loop: loop, sockets: sockets)
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

  /// See ``Host/makeInvite()``.
  package func makeInvite() throws(CryptoError) -> (json: String, url: String) {
    try host.makeInvite()
  }

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
      tokens: access.remainingTokens.union([ownerToken]),
      devices: devices?.devices.records,
      archive: archive,
      approvedCommands: variant.approvedCommands,
      scheduleRuns: variant.scheduleRuns
    )
  }

  // MARK: - Agents

  /// Ends all agents and starts them again, as another client can do.
  package func restartAgents() async { await variant.restartAgents(of: host.sessions) }

  /// Ends the tool of a session that works until it is interrupted.
  package func releaseTool(inSession id: String) async {
    await variant.releaseTool(of: id, in: host.sessions)
  }

  // MARK: - Devices; without effect on servers without device keys

  private var devices: MigratingAccess? {
    if case .devices(let access) = access { access } else { nil }
  }

  /// Revokes all devices; may be called on any thread.
  package func revokeDevices() {
    guard let devices = devices?.devices else { return }
    for device in devices.records.devices { _ = devices.revoke(device.id) }
  }

  /// Revokes a device; may be called on any thread.
  ///
  /// - Returns: False if it is unknown or revoked already.
  @discardableResult
  package func revokeDevice(_ id: String) -> Bool { devices?.devices.revoke(id) ?? false }

  /// Ends all access tokens as if their time were over; may be called on any thread.
  package func expireTokens() { devices?.devices.expireAll() }

  /// The number of access tokens issued for signatures; may be read on any thread.
  package var refreshes: Int { devices?.devices.refreshCount ?? 0 }

  /// Enrols a key without an invite; may be called on any thread.
  ///
  /// - Returns: The device and its token; `nil` on servers without device keys.
  package func enrol(
    _ key: DevicePublicKey,
    name: String? = nil
  ) -> (deviceID: String, token: String)? {
    devices.map { access in
      let token = access.devices.enrol(key, name: name).token
      return (token.deviceID, token.text)
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
    let devices: DeviceAccess.Records?
    let archive: Archive
    let approvedCommands: Set<String>
    let scheduleRuns: [ServerScheduleRun]

    /// The data as a server finds it when it starts.
    func archive(for dialect: Dialect) -> Archive {
      var archive = archive
      guard dialect.stopsSessionsAtLaunch else { return archive }
      for index in archive.sessions.indices { archive.sessions[index].record.status = .stopped }
      return archive
    }
  }
}

private enum FakeAccess: Sendable {
  case devices(MigratingAccess)
  case bearers(BearerAccess)

  var access: any HostAccess {
    switch self {
    case .devices(let access): access
    case .bearers(let access): access
    }
  }

  var remainingTokens: Set<String> {
    switch self {
    case .devices(let access): access.legacyTokens
    case .bearers(let access): access.tokens
    }
  }
}
