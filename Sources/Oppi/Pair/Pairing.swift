// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiModel
import OppiSystem
import OppiTransport

/// Pairs with the server of an invite.
struct Pairing: Sendable {
  let network: Network
  let servers: ServerStore
  let credentials: CredentialStore
  private let tokens: AccessTokenStore

  init(
    network: Network,
    servers: ServerStore,
    credentials: CredentialStore,
    tokens: AccessTokenStore
  ) {
    self.network = network
    self.servers = servers
    self.credentials = credentials
    self.tokens = tokens
  }

  struct Outcome: Sendable {
    var server: PairedServer
    /// Whether the server was already paired and its entry was updated.
    var isRenewal: Bool
    var version: String?
  }

  /// Verifies the invite's signature, checks the certificate pin, exchanges the pairing token for a
  /// credential, compares the server's identity with the invite, and stores the server and its
  /// credential.
  ///
  /// The exchange uses up the invite, so the files are checked before it; a failure after it has a
  /// hint that says so.
  ///
  /// - Parameters:
  ///   - invite: The invite.
  ///   - name: The local name of the server.
  ///   - keyCommand: A program that keeps the key; without one, that of the earlier pairing with the
  ///     server is used.
  ///   - replaced: The place of the paired server that the user has agreed to replace.
  ///   - now: The time.
  ///   - deadline: When pairing must have ended.
  /// - Returns: The paired server.
  /// - Throws: If the user must agree to a change.
  func pair(
    with invite: Invite,
    name: String?,
    keyCommand: [String] = [],
    replacing replaced: ServerPlace? = nil,
    now: Timestamp,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Outcome {
    try verify(invite)
    try checkFiles()
    let known = try admit(invite, to: invite.fingerprint, replacing: replaced)
    let destination = Network.Destination(
      endpoint: invite.endpoint,
      pin: invite.certificatePin
    )
    let line = ServerLine(
      serverName: invite.name,
      connection: HTTPConnection(network: network, destination: destination),
      loop: network.loop,
      deadline: deadline
    )
    let credential = try await enrol(
      with: invite,
      keyCommand.isEmpty ? known?.keyCommand ?? [] : keyCommand,
      over: line
    )
    let api = IntentAPIClient(
      network: network,
      destination: destination,
      serverName: invite.name,
      access: FixedAccess(token: credential.token)
    )
    do throws(OppiError) {
      let calls = api.until(deadline).over(line.connection)
      try await calls.me()
      let info = ServerInfo(json: try await calls.answer(to: .get("/server/info")))
      let id = try identity(of: info, invite: invite)
      // An invite may name no identity.
      try admit(invite, to: id, replacing: replaced)
      return try await store(id, credential, invite: invite, name: name, now: now, info: info)
    } catch {
      guard case .pairingToken = invite.credential else { throw error }
      var unfinished = error.because(nil)
      unfinished.hints.append("the invite is used up; create \(Self.newInvite)")
      throw unfinished
    }
  }

  private static let newInvite = "a new one on the server's machine: oppi pair --json"

  // MARK: - The exchange

  /// What a server issued for an invite.
  private enum Issued {
    case token(String)
    case device(DeviceCredential, AccessToken)

    var token: String {
      switch self {
      case .token(let token): token
      case .device(_, let token): token.text
      }
    }

    /// The program that keeps the key; empty if there is none.
    var keyCommand: [String] {
      guard case .device(let device, _) = self, case .program(let command) = device.signer else {
        return []
      }
      return command
    }

    var kind: Dialect.Credential {
      switch self {
      case .token: .bearer
      case .device: .deviceKey
      }
    }
  }

  /// Exchanges the pairing token, with one request for all servers: older ones ignore the key and
  /// issue a token.
  private func enrol(
    with invite: Invite,
    _ keyCommand: [String],
    over line: ServerLine
  ) async throws(OppiError) -> Issued {
    guard case .pairingToken(let pairingToken) = invite.credential else {
      if case .bearerToken(let token) = invite.credential { return .token(token) }
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
        hints: ["create \(Self.newInvite)"]
      )
    }
    guard answer.isSuccess else {
      let isOverHTTP = answer.status == 403 && answer.error == "HTTPS required"
      throw answer.failure(isOverHTTP ? .httpsRequired : nil)
    }
    if let grant = AccessGrant(json: answer.json), let id = grant.deviceID, var device = key?.device
    {
      device.deviceID = id
      let now = network.loop.timestamp()
      return .device(device, grant.token(of: id, receivedAt: now, serverTime: answer.serverTime))
    }
    guard let token = answer.json["deviceToken"].string, BearerToken.isValid(token) else {
      throw .malformedAnswer(server: invite.name, what: "device token")
    }
    return .token(token)
  }

  /// A file that fails only after the exchange would waste the invite.
  private func checkFiles() throws(OppiError) {
    do {
      _ = try servers.load()
      try servers.checkWritable()
      try credentials.checkWritable()
    } catch {
      throw .file(error)
    }
  }

  private func identity(of info: ServerInfo, invite: Invite) throws(OppiError) -> Fingerprint {
    guard let found = info.fingerprint ?? invite.fingerprint else {
      throw OppiError(brokenProtocol: "\(invite.name) has no identity key")
    }
    guard invite.fingerprint == nil || invite.fingerprint == found else {
      throw OppiError(
        .identityMismatch,
        "\(invite.name) is not the server of the invite",
        hints: ["create a new invite on the server with 'oppi pair' and check its address"]
      )
    }
    return found
  }

  private func store(
    _ id: Fingerprint,
    _ issued: Issued,
    invite: Invite,
    name: String?,
    now: Timestamp,
    info: ServerInfo
  ) async throws(OppiError) -> Outcome {
    do {
      switch issued {
      case .token(let token): try await credentials.store(token, for: id)
      case .device(let device, let token):
        try await credentials.store(device, for: id)
        try await tokens.store(token, of: id)
      }
      do {
        let dialect = Dialect.detected(by: info, credential: issued.kind)
        try await servers.remember(dialect, version: info.version, of: id)
      } catch {
        // It is detected again by the first command that needs it.
      }
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
          addedAt: previous?.addedAt ?? now.seconds,
          keyCommand: issued.keyCommand,
          proxy: previous?.proxy
        )
        if let old {
          contents.servers[old] = server
        } else {
          contents.servers.append(server)
        }
        return Outcome(server: server, isRenewal: old != nil, version: info.version)
      }
    } catch {
      throw .file(error)
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
