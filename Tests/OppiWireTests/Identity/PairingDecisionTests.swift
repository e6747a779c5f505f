// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Testing

/// Which invites may pair a server that is already paired.
@Suite struct PairingDecisionTests {
  private static let pin = Fingerprint(digest: [UInt8](repeating: 7, count: 32))
  private static let otherPin = Fingerprint(digest: [UInt8](repeating: 8, count: 32))

  private static let fields: JSONObject = [
    "v": 3, "host": "studio.lan", "port": 7749, "scheme": "https", "token": "",
    "pairingToken": "pt_EXAMPLE", "name": "studio", "tlsCertFingerprint": .string(pin.text),
  ]

  /// An invite of the server with the key, signed by it or not; signatures are verified elsewhere.
  private static func invite(by key: [UInt8], isSigned: Bool) throws -> Invite {
    var fields = fields
    fields["fingerprint"] = .string(Fingerprint(digest: SHA256.digest(key)).text)
    let json = JSONValue.object(fields)
    guard isSigned else { return try Invite(json.text()) }
    let envelope: JSONValue = [
      "v": 3, "signedPayload": .string(Base64.encodeURL(json.bytes())),
      "publicKey": .string(Base64.encodeURL(key)),
      "signature": .string(Base64.encodeURL([UInt8](repeating: 1, count: 64))),
    ]
    return try Invite(envelope.text())
  }

  private static let key = [UInt8](1...32)

  private static func server(
    _ change: (inout PairedServer) -> Void = { _ in }
  ) throws -> PairedServer {
    var server = PairedServer(
      id: Fingerprint(digest: SHA256.digest(key)),
      name: "studio",
      endpoint: try #require(Endpoint(scheme: .https, host: "studio.lan", port: 7749)),
      certificatePin: pin
    )
    change(&server)
    return server
  }

  /// The same place as that of the invites, and all ways to differ from it.
  private static func places() throws -> [(PairedServer, isSame: Bool)] {
    let endpoints = [("https", "old.lan", 7749), ("https", "studio.lan", 7750)].compactMap {
      Endpoint(scheme: .https, host: $0.1, port: $0.2)
    }
    var places = [(try server(), isSame: true)]
    for endpoint in endpoints { places.append((try server { $0.endpoint = endpoint }, false)) }
    let plain = Endpoint(scheme: .http, host: "studio.lan", port: 7749)
    places.append((try server { $0.endpoint = plain ?? $0.endpoint }, false))
    places.append((try server { $0.certificatePin = otherPin }, false))
    places.append((try server { $0.certificatePin = nil }, false))
    return places
  }

  @Test(
    "only a signature replaces a server that proved its key; another one asks for each change",
    arguments: [
      // The record, whether the server issues tokens to a key, and the decision for a signed invite
      // and for one that is not signed, at the same place and at another.
      (true, false, [PairingDecision.allowed, .allowed], [PairingDecision.refused, .refused]),
      (true, true, [.allowed, .allowed], [.refused, .refused]),
      (false, false, [.allowed, .asked], [.allowed, .asked]),
      (false, true, [.allowed, .asked], [.allowed, .asked]),
      (nil, false, [.allowed, .asked], [.allowed, .asked]),
      (nil, true, [.allowed, .allowed], [.refused, .refused]),
    ] as [(Bool?, Bool, [PairingDecision], [PairingDecision])]
  )
  func table(
    isProven: Bool?,
    hasKey: Bool,
    signed: [PairingDecision],
    unsigned: [PairingDecision]
  ) throws {
    for (server, isSame) in try Self.places() {
      var server = server
      server.isProven = isProven
      for (isSigned, decisions) in [(true, signed), (false, unsigned)] {
        let invite = try Self.invite(by: Self.key, isSigned: isSigned)
        let decision = invite.decision(replacing: server, hasKey: hasKey)
        #expect(decision == decisions[isSame ? 0 : 1], "\(server.address) \(isSigned)")
      }
    }
  }

  @Test("an invite that another key signed does not replace a server that proved its key")
  func otherKey() throws {
    let server = try Self.server { $0.isProven = true }
    let invite = try Self.invite(by: [UInt8](2...33), isSigned: true)
    #expect(invite.decision(replacing: server, hasKey: false) == .refused)
  }

  @Test("a server that is not paired needs no signature")
  func new() throws {
    let invite = try Self.invite(by: Self.key, isSigned: false)
    #expect(invite.decision(replacing: nil, hasKey: false) == .allowed)
  }
}
