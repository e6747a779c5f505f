// SPDX-License-Identifier: MIT

package import OppiText
package import OppiTransport
package import OppiWire

package struct HostConfiguration: Sendable {
  /// The server's name in invites and responses.
  package var name = "oppi"
  /// The version in `/server/info`.
  package var version = "0.49.1"
  /// The host in invites.
  package var host = "127.0.0.1"
  /// The server's certificate and key; `nil` for plain `http`.
  package var tls: TLSContext?
  /// The certificate's fingerprint for invites.
  package var certificatePin: Fingerprint?
  /// The key that signs invites; `nil` for a server that does not sign them.
  package var identity: IdentityKey?
  /// The identity in invites and `/server/info`; that of the key, or a random one, if `nil`.
  package var fingerprint: Fingerprint?
  /// The workspaces, oldest first; names may be arbitrary text.
  ///
  /// Today's servers ignore the default model of a workspace, so none is given.
  package var workspaces = [
    Workspace(id: "qX3dEmo0", name: "demo", icon: "hammer", description: "Demo repository"),
    Workspace(id: "wEb-App1", name: "webapp"),
  ]
  /// The uptime at the start.
  package var age = Duration.seconds(3600)
  /// The pause before each event of an agent.
  package var pace = Duration.zero
  /// The time after which a dialog is settled without an answer; `nil` for never.
  package var dialogTimeout: Duration?
  /// Whether the start of a session asks for trust in a folder without a decision.
  package var asksForTrust = false
  /// The types of files that can be uploaded; all if `nil`.
  package var uploadTypes: Set<String>?
  package var limits = HostLimits()

  package init() {}
}

/// The limits of a host, by default those of the real server.
package struct HostLimits: Sendable {
  /// The time after which a repeat launches again, unless the launch is recorded as ended.
  package var launchLease = Duration.seconds(120)
  /// The interval of pings; the connection is closed instead of sending a third unanswered ping.
  package var pingInterval = Duration.seconds(30)
  package var eventRing = 500
  /// The time to end a session over REST; about 1 s in real servers.
  package var sessionEnd = Duration.zero
  /// The maximum wait of a session's end for its run.
  package var endTimeout = Duration.seconds(1)
  /// The maximum size of a request, in bytes.
  package var bodyBytes = 8 << 20
  /// The maximum size of an uploaded file, in bytes.
  package var uploadBytes = 50 << 20
  /// The maximum size of all files of a turn, in bytes.
  package var turnUploadBytes = 100 << 20

  package init() {}
}

/// The Ed25519 key that identifies a server, and signs its invites.
package struct IdentityKey: Sendable {
  private let library: LibCrypto
  private let seed: [UInt8]
  private let publicKey: [UInt8]

  /// Makes the key of 32 random bytes.
  package init(seed: [UInt8]) throws(CryptoError) {
    library = try LibCrypto()
    self.seed = seed
    publicKey = try CryptoKey.ed25519(seed: seed, using: library).ed25519PublicKey()
  }

  package var fingerprint: Fingerprint { Fingerprint(digest: SHA256.digest(publicKey)) }

  /// Returns the signed form of an invite.
  package func seal(_ invite: JSONValue) throws(CryptoError) -> JSONValue {
    let payload = Array(invite.text().utf8)
    let signature = try CryptoKey.ed25519(seed: seed, using: library).sign(payload)
    return [
      "v": 3, "signedPayload": .string(Base64.encodeURL(payload)),
      "publicKey": .string(Base64.encodeURL(publicKey)),
      "signature": .string(Base64.encodeURL(signature)),
    ]
  }
}
