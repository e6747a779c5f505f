// SPDX-License-Identifier: MIT

import OppiModel
import Testing

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

  @Test("the fingerprint must be that of the signing key")
  func otherKey() {
    let other = Self.fields.replacing("riFs", with: "siFs")
    let none = Self.fields.replacing(",\"fingerprint\":\"\(Self.fingerprint)\"", with: "")
    #expect(throws: InviteError.badSignature) { try Invite(Self.envelope(other)) }
    #expect(throws: InviteError.badSignature) { try Invite(Self.envelope(none)) }
  }

  @Test("version 4 is not supported, in the link and in the envelope")
  func newerVersion() {
    #expect(throws: InviteError.unsupportedVersion) { try Invite(Self.envelope(version: 4)) }
    let link = Self.url(Self.envelope()).replacing("v=3", with: "v=4")
    #expect(throws: InviteError.unsupportedVersion) { try Invite(link) }
  }

  @Test(
    "an incomplete envelope is rejected with the name of the field",
    arguments: [
      (envelope(key: Array(key.dropLast())), "publicKey"),
      (envelope(signature: [1]), "signature"), (envelope("x"), "signedPayload"),
      (envelope("{}"), "signedPayload"),
      (#"{"v":3,"signedPayload":5}"#, "signedPayload"),
      (envelope(fields.replacing("studio.lan", with: "")), "host"),
    ]
  )
  func incomplete(text: String, field: String) {
    #expect(throws: InviteError.malformed(field: field)) { try Invite(text) }
  }

  @Test("the JSON of a server without a version needs its link")
  func withoutLink() {
    let json = #"{"host":"studio.lan","port":7749,"pairingToken":"pt_EXAMPLE"}"#
    #expect(throws: InviteError.unsupportedVersion) { try Invite(json) }
  }
}
