// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel

extension AccessRoutes {
  /// `nil` for servers without device keys.
  convenience init?(
    configuration: FakeServer.Configuration,
    from remains: FakeServer.Remains?,
    loop: EventLoop
  ) {
    guard configuration.dialect.credential == .deviceKey else { return nil }
    var records = remains?.access ?? Records()
    let older = remains?.tokens.filter { $0.hasPrefix("dt_") } ?? configuration.legacyTokens
    records.legacyTokens.formUnion(older)
    let rules = Rules(
      tokenLifetime: configuration.limits.accessTokenLifetime,
      tokenGrace: configuration.limits.accessTokenGrace,
      refreshLimit: configuration.limits.refreshesPerMinute,
      isSecure: configuration.tls != nil || configuration.acceptsPlainHTTP,
      migrates: configuration.migrates,
      offersChallenges: configuration.offersChallenges
    )
    self.init(rules, records: records, loop: loop)
  }
}

/// Access by device keys; without effect on servers without them.
extension FakeServer {
  /// Revokes all devices; may be called on any thread.
  package func revokeDevices() { access?.revokeAll() }

  /// Revokes a device; may be called on any thread.
  ///
  /// - Returns: False if it is unknown or revoked already.
  @discardableResult
  package func revokeDevice(_ id: String) -> Bool { access?.revoke(id) ?? false }

  /// Ends all access tokens as if their time were over; may be called on any thread.
  package func expireTokens() { access?.expireAll() }

  /// The number of access tokens issued for signatures; may be read on any thread.
  package var refreshes: Int { access?.refreshCount ?? 0 }

  /// Enrols a key without an invite; may be called on any thread.
  ///
  /// - Returns: The device and its token; `nil` on servers without device keys.
  package func enrol(
    _ key: DevicePublicKey,
    name: String? = nil
  ) -> (deviceID: String, token: String)? {
    access.map { access in
      let token = access.enrol(key, name: name).token
      return (token.deviceID, token.text)
    }
  }
}

extension RunningServer {
  package func revokeDevices() { server.revokeDevices() }

  @discardableResult
  package func revokeDevice(_ id: String) -> Bool { server.revokeDevice(id) }

  package func expireTokens() { server.expireTokens() }

  package var refreshes: Int { server.refreshes }

  package func enrol(
    _ key: DevicePublicKey,
    name: String? = nil
  ) -> (deviceID: String, token: String)? {
    server.enrol(key, name: name)
  }
}
