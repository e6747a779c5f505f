// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Testing

@Suite struct InviteTests {
  private static let json = """
    {"v":3,"host":"127.0.0.1","port":7802,"scheme":"https","token":"",\
    "pairingToken":"pt_EXAMPLE00000000000000000","name":"studio",\
    "tlsCertFingerprint":"sha256:ZljPvQcXMuxkdOvMOaCoA2Frs6lrx7jMT85i6hDtrc4",\
    "fingerprint":"sha256:ix07y2EXswptsyLOn440AdUrdR3CoU0wpik84i2aSGg"}
    """

  private static var encoded: String { Base64.encodeURL(Array(json.utf8)) }

  @Test(
    "an invite is parsed in each of its forms",
    arguments: [
      json, "  \(json)\n", "oppi://connect?v=3&invite=\(encoded)",
      "oppi://pair?v=3&invite=\(encoded)",
      "pi://connect?invite=\(encoded)", "pi://pair/?v=3&invite=\(encoded)",
      "OPPI://connect?v=3&invite=\(encoded)", "oppi://connect?v=3&payload=\(percentEncoded(json))",
    ]
  )
  func forms(text: String) throws {
    let invite = try Invite(text)
    #expect(invite.endpoint == Endpoint(scheme: .https, host: "127.0.0.1", port: 7802))
    #expect(invite.credential == .pairingToken("pt_EXAMPLE00000000000000000"))
    #expect(invite.name == "studio")
    #expect(invite.certificatePin?.text == "sha256:ZljPvQcXMuxkdOvMOaCoA2Frs6lrx7jMT85i6hDtrc4")
    #expect(invite.fingerprint?.text == "sha256:ix07y2EXswptsyLOn440AdUrdR3CoU0wpik84i2aSGg")
  }

  @Test(
    "an invite that is wrapped over several lines is parsed",
    arguments: [
      json, "oppi://connect?v=3&invite=\(encoded)",
      "oppi://connect?v=3&payload=\(percentEncoded(json))",
    ],
    ["\n", "\r\n", " \n  "]
  )
  func wrapped(text: String, lineBreak: String) throws {
    for width in [7, 40, 76] {
      var rest = text[...]
      var lines: [Substring] = []
      while !rest.isEmpty {
        lines.append(rest.prefix(width))
        rest = rest.dropFirst(width)
      }
      #expect(try Invite(lines.joined(separator: lineBreak)) == Invite(text))
    }
  }

  private static func percentEncoded(_ text: String) -> String {
    text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test("an invite without a scheme uses http, and its host is its name")
  func legacy() throws {
    let invite = try Invite(#"{"v":3,"host":"box","port":7749,"pairingToken":"pt_x"}"#)
    #expect(invite.endpoint.scheme == .http)
    #expect(invite.name == "box")
    #expect(invite.certificatePin == nil)
  }

  @Test("a bearer token has precedence over a pairing token")
  func readyToken() throws {
    let invite = try Invite(#"{"v":3,"host":"b","port":1,"token":"sk_a","pairingToken":"pt_x"}"#)
    #expect(invite.credential == .bearerToken("sk_a"))
  }

  @Test(
    "an invalid invite is rejected with its cause",
    arguments: [
      ("", .notAnInvite), ("hello", .notAnInvite), ("{", .notAnInvite),
      ("https://connect?v=3&invite=e30", .notAnInvite), ("oppi://session/x", .notAnInvite),
      ("oppi://connect?v=3", .notAnInvite), ("oppi://connect?v=2&invite=e30", .unsupportedVersion),
      (#"{"v":2}"#, .unsupportedVersion), (#"{"host":"a"}"#, .unsupportedVersion),
      (#"{"v":3,"port":1,"pairingToken":"x"}"#, .malformed(field: "host")),
      (#"{"v":3,"host":"a","pairingToken":"x"}"#, .malformed(field: "port")),
      (#"{"v":3,"host":"a","port":0,"pairingToken":"x"}"#, .malformed(field: "port")),
      (#"{"v":3,"host":"a b","port":1,"pairingToken":"x"}"#, .malformed(field: "host")),
      (
        #"{"v":3,"host":"a","port":1,"scheme":"ftp","pairingToken":"x"}"#,
        .malformed(field: "scheme")
      ),
      (
        "{\"v\":3,\"host\":\"a\u{0B}\",\"port\":1,\"pairingToken\":\"x\"}",
        .malformed(field: "host")
      ),
      (
        "{\"v\":3,\"host\":\"a\u{2028}\",\"port\":1,\"pairingToken\":\"x\"}",
        .malformed(field: "host")
      ),
      (#"{"v":3,"host":"a","port":1}"#, .noToken),
      (#"{"v":3,"host":"a","port":1,"pairingToken":"x\r\ny"}"#, .malformed(field: "pairingToken")),
      (
        #"{"v":3,"host":"a","port":1,"pairingToken":"x","tlsCertFingerprint":"sha256:x"}"#,
        .malformed(field: "tlsCertFingerprint")
      ),
      // A pin without TLS would give a false sense of security.
      (json.replacing(#""scheme":"https","#, with: ""), .malformed(field: "scheme")),
      (
        json.replacing(#""scheme":"https""#, with: #""scheme":"http""#),
        .malformed(field: "scheme")
      ),
      // Too long to be parsed.
      (String(repeating: " {", count: 100_000), .notAnInvite),
    ] as [(String, InviteError)]
  )
  func refuses(text: String, error: InviteError) {
    #expect(throws: error) { try Invite(text) }
  }
}

/// The signed invites of today's servers.
@Suite struct InviteSealTests {
  private static let key = [UInt8](1...32)
  /// The fingerprint of ``key``.
  private static let fingerprint = "sha256:riFsLvUkejeCwTXvonmj5M3GEJQnD10r5YxiBLemEsk"
  private static let fields = """
    {"v":3,"host":"studio.lan","port":7749,"token":"","pairingToken":"pt_EXAMPLE","name":"studio",\
    "fingerprint":"\(fingerprint)"}
    """

  private static func envelope(
    _ fields: String = fields,
    version: Int = 3,
    key: [UInt8] = key,
    signature: [UInt8] = [UInt8](repeating: 7, count: 64)
  ) -> String {
    let payload = Base64.encodeURL(Array(fields.utf8))
    return """
      {"v":\(version),"signedPayload":"\(payload)","publicKey":"\(Base64.encodeURL(key))",\
      "signature":"\(Base64.encodeURL(signature))"}
      """
  }

  private static func url(_ json: String) -> String {
    "oppi://connect?v=3&invite=\(Base64.encodeURL(Array(json.utf8)))"
  }

  @Test(
    "a signed invite is parsed as JSON, as a link, and in the output of 'oppi pair --json'",
    arguments: [
      envelope(), url(envelope()),
      #"{"name":"studio","host":"studio.lan","port":7749,"inviteURL":"\#(url(envelope()))"}"#,
    ]
  )
  func forms(text: String) throws {
    let invite = try Invite(text)
    #expect(invite.endpoint == Endpoint(scheme: .https, host: "studio.lan", port: 7749))
    #expect(invite.credential == .pairingToken("pt_EXAMPLE"))
    #expect(invite.certificatePin == nil)
    let seal = try #require(invite.seal)
    #expect(seal.payload == Array(Self.fields.utf8))
    #expect(seal.signer == invite.fingerprint && seal.signer.text == Self.fingerprint)
  }

  @Test("an invite that is not signed has no seal")
  func plain() throws {
    #expect(try Invite(Self.fields).seal == nil)
  }

  @Test(
    "an envelope of another version or key, or with an unusable field, is rejected with its cause",
    arguments: [
      (envelope(fields.replacing("riFs", with: "siFs")), .badSignature),
      (envelope(fields.replacing(",\"fingerprint\":\"\(fingerprint)\"", with: "")), .badSignature),
      (envelope(version: 4), .unsupportedVersion),
      (url(envelope()).replacing("v=3", with: "v=4"), .unsupportedVersion),
      (envelope(key: Array(key.dropLast())), .malformed(field: "publicKey")),
      (envelope(signature: [1]), .malformed(field: "signature")),
      (envelope("x"), .malformed(field: "signedPayload")),
      (envelope("{}"), .malformed(field: "signedPayload")),
      (#"{"v":3,"signedPayload":5}"#, .malformed(field: "signedPayload")),
      (envelope(fields.replacing("studio.lan", with: "")), .malformed(field: "host")),
      // The JSON of a server without a version needs its link.
      (#"{"host":"studio.lan","port":7749,"pairingToken":"pt_EXAMPLE"}"#, .unsupportedVersion),
    ] as [(String, InviteError)]
  )
  func refuses(text: String, error: InviteError) {
    #expect(throws: error) { try Invite(text) }
  }
}
