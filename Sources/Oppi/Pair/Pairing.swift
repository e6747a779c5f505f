// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiSystem
import OppiText
import OppiTransport
import OppiWire

/// Pairs with the server of an invite.
struct Pairing: Sendable {
  let network: Network
  let servers: ServerStore
  let credentials: CredentialStore
  let tokens: AccessTokenStore

  struct Outcome: Sendable {
    var server: PairedServer
    /// The name that was to be used; another server may have it.
    var wantedName: String
    /// Whether the server was already paired and its entry was updated.
    var isRenewal: Bool
    var version: String?
  }

  /// Verifies the invite's signature, checks the certificate pin, exchanges the pairing token for a
  /// credential, compares the server's identity with the invite, and stores the server and its
  /// credential.
  ///
  /// The exchange uses up the invite, so the files are checked before it; a failure after it has a
  /// hint that says so. Without a `keyCommand`, that of the server's earlier pairing is used.
  /// `replaced` is the place of the paired server that the user has agreed to replace.
  ///
  /// - Throws: If the user must agree to a change.
  func pair(
    with invite: Invite,
    name: String?,
    keyCommand: [String] = [],
    replacing replaced: ServerAddress? = nil,
    until deadline: EventLoop.Instant
  ) async throws -> Outcome {
    try verify(invite)
    // A file that fails only after the exchange would waste the invite.
    _ = try servers.load()
    try servers.checkWritable()
    try credentials.checkWritable()
    let known = try admit(invite, to: invite.fingerprint, replacing: replaced)
    let destination = Network.Destination(endpoint: invite.endpoint, pin: invite.certificatePin)
    let line = ServerLine(
      serverName: invite.name,
      connection: HTTPConnection(network: network, destination: destination),
      loop: network.loop,
      deadline: deadline
    )
    let issued = try await enrol(
      with: invite,
      keyCommand.isEmpty ? known?.keyCommand ?? [] : keyCommand,
      over: line
    )
    let api = IntentAPIClient(
      network: network,
      destination: destination,
      serverName: invite.name,
      access: FixedAccess(token: issued.token)
    )
    do {
      let calls = api.until(deadline).over(line.connection)
      try await calls.me()
      let info = ServerInfo(json: try await calls.answer(to: .get("/server/info")))
      let id = try identity(of: info, invite: invite)
      // An invite may name no identity.
      try admit(invite, to: id, replacing: replaced)
      return try await store(id, issued, invite: invite, name: name, info: info)
    } catch {
      guard case .pairingToken = invite.credential else { throw error }
      var unfinished = OppiError(error).because(nil)
      unfinished.hints += ["the invite is used up", OppiError.createInvite]
      throw unfinished
    }
  }

  // MARK: - The exchange

  /// What a server issued for an invite: a token for good, or one for the key of a device.
  private typealias Issued = (
    token: String, device: (credential: DeviceCredential, token: AccessToken)?
  )

  /// Exchanges the pairing token, with one request for all servers: older ones ignore the key and
  /// issue a token.
  private func enrol(
    with invite: Invite,
    _ keyCommand: [String],
    over line: ServerLine
  ) async throws(OppiError) -> Issued {
    guard case .pairingToken(let pairingToken) = invite.credential else {
      if case .bearerToken(let token) = invite.credential { return (token, nil) }
      throw InviteError.noToken.explanation
    }
    let key = try await makeKey(for: invite, keyCommand, until: line.deadline)
    let body = JSONValue.object([
      "pairingToken": .string(pairingToken),
      "devicePublicKey": key?.publicKey.json,
      "deviceName": .string(MachineName.current),
    ])
    let answer: ServerLine.Answer
    do {
      answer = try await line.post("/pair", body)
    } catch  where error.mayHaveArrived && !error.isCancellation {
      // Sent again, it would find the invite used up.
      throw OppiError(
        .timedOut,
        "\(invite.name) did not answer the pairing request; the invite may be used up",
        hints: [OppiError.createInvite]
      )
    }
    guard answer.isSuccess else {
      let isOverHTTP = answer.status == 403 && answer.error == "HTTPS required"
      throw answer.failure(isOverHTTP ? .httpsRequired : nil)
    }
    if let token = answer.token(), var device = key?.device {
      device.deviceID = token.deviceID
      return (token.text, (device, token))
    }
    guard let token = answer.json["deviceToken"].string, BearerToken.isValid(token) else {
      throw .malformedAnswer(server: invite.name, what: "device token")
    }
    return (token, nil)
  }

  private func identity(of info: ServerInfo, invite: Invite) throws(OppiError) -> Fingerprint {
    // Servers that sign their invites report their identity.
    let stated = invite.seal == nil ? invite.fingerprint : nil
    guard let found = info.fingerprint ?? stated else {
      throw OppiError(brokenProtocol: "\(invite.name) has no identity key")
    }
    guard invite.fingerprint == nil || invite.fingerprint == found else {
      throw OppiError(
        .identityMismatch,
        "\(invite.name) is not the server of the invite",
        hints: [OppiError.createInvite, "check that it has the address of the server"]
      )
    }
    return found
  }

  private func store(
    _ id: Fingerprint,
    _ issued: Issued,
    invite: Invite,
    name: String?,
    info: ServerInfo
  ) async throws -> Outcome {
    if let (device, token) = issued.device {
      try await credentials.store(device, for: id)
      try await tokens.store(token, of: id)
    } else {
      try await credentials.store(issued.token, for: id)
    }
    let kind: Dialect.Credential = issued.device == nil ? .bearer : .deviceKey
    let dialect = Dialect.detected(by: info, credential: kind)
    // On failure, it is detected again by the first command that needs it.
    await servers.remember(dialect, version: info.version, of: id)
    await servers.doubt(false, id)
    return try await servers.update { contents throws(FileError) in
      let old = contents.servers.firstIndex { $0.id == id }
      let previous = old.map { contents.servers[$0] }
      let others = contents.servers.filter { $0.id != id }.map(\.name)
      let label = name ?? previous?.name ?? Self.label(for: invite, info: info)
      let server = PairedServer(
        id: id,
        name: Self.unique(label, among: others),
        endpoint: invite.endpoint,
        certificatePin: invite.certificatePin,
        isProven: invite.seal != nil,
        addedAt: previous?.addedAt ?? network.loop.timestamp().seconds,
        keyCommand: issued.device?.credential.keyCommand ?? [],
        proxy: previous?.proxy
      )
      if let old {
        contents.servers[old] = server
      } else {
        contents.servers.append(server)
      }
      return Outcome(
        server: server,
        wantedName: label,
        isRenewal: old != nil,
        version: info.version
      )
    }
  }

  /// The invite's label; the server's own name if that label is only an address.
  private static func label(for invite: Invite, info: ServerInfo) -> String {
    invite.name == invite.endpoint.host && !info.name.isEmpty ? info.name : invite.name
  }

  /// The label itself, or with the first free number appended.
  static func unique(_ label: String, among others: [String]) -> String {
    let taken = Set(others.map { $0.lowercased() })
    guard taken.contains(label.lowercased()) else { return label }
    var number = 2
    while taken.contains("\(label) \(number)".lowercased()) { number += 1 }
    return "\(label) \(number)"
  }
}

// MARK: - Admission

extension Pairing {
  /// The paired server that an invite would move to another place, which the user must agree to;
  /// `nil` if the invite may pair at once.
  ///
  /// - Throws: If the invite must not pair.
  func change(by invite: Invite) throws -> PairedServer? {
    try change(by: invite, of: try known(invite.fingerprint))
  }

  private func change(by invite: Invite, of known: PairedServer?) throws -> PairedServer? {
    guard let known else { return nil }
    switch invite.decision(replacing: known, hasKey: try hasKey(known)) {
    case .allowed: return nil
    case .asked: return known
    case .refused:
      throw OppiError(
        .identityMismatch,
        "not paired: \(known.name) has proved its identity, but this invite is not signed by it",
        hints: [
          OppiError.createInvite,
          "if the server was reinstalled, remove it first: oppi servers forget \(known.name)",
        ]
      )
    }
  }

  /// Checks that an invite, whose signature is verified, may pair the server with an identity, or
  /// that the user has agreed to replace its place; returns the server's earlier entry.
  @discardableResult
  func admit(
    _ invite: Invite,
    to id: Fingerprint?,
    replacing replaced: ServerAddress?
  ) throws -> PairedServer? {
    let known = try known(id)
    if let changed = try change(by: invite, of: known), changed.address != replaced {
      func text(_ place: ServerAddress) -> String {
        "\(place.endpoint) (\(place.certificatePin?.text ?? "no pin"))"
      }
      throw OppiError(
        .identityMismatch,
        "not paired: \(changed.name) is paired at \(text(changed.address)), but the invite names "
          + text(invite.address),
        hints: [
          "run it on a terminal to confirm the change",
          "or remove the server first: oppi servers forget \(changed.name)",
        ]
      )
    }
    return known
  }

  private func known(_ id: Fingerprint?) throws -> PairedServer? {
    try servers.load().servers.first { $0.id == id }
  }

  /// Whether a server issues tokens to a key of this machine.
  private func hasKey(_ server: PairedServer) throws -> Bool {
    guard server.keyCommand.isEmpty else { return true }
    return try credentials.device(of: server.id)?.deviceID != nil
  }
}

// MARK: - The keys of the server and of this machine

extension Pairing {
  /// A key for the pairing; `nil` where no server needs one, and OpenSSL is not installed.
  private func makeKey(
    for invite: Invite,
    _ keyCommand: [String],
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> (device: DeviceCredential, publicKey: DevicePublicKey)? {
    guard keyCommand.isEmpty else {
      do {
        return try await DeviceKey.of(keyCommand, on: network.loop, until: deadline)
      } catch {
        throw .keyProgram(error, server: invite.name)
      }
    }
    do {
      return try DeviceKey.make()
    } catch {
      guard error == .unavailable, invite.seal == nil else { throw .crypto(error) }
      return nil
    }
  }

  /// Verifies the signature of a signed invite.
  private func verify(_ invite: Invite) throws {
    guard let seal = invite.seal else { return }
    var isGenuine = false
    do throws(CryptoError) {
      let key = try CryptoKey.ed25519(publicKey: seal.publicKey, using: LibCrypto())
      isGenuine = key.verifies(seal.signature, of: seal.payload)
    } catch {
      guard error == .failed else { throw error }
    }
    guard isGenuine else { throw InviteError.badSignature }
  }
}
