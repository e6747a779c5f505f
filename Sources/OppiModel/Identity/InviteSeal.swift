// SPDX-License-Identifier: MIT

/// The signed part of an invite: `{"v":3,"signedPayload":…,"publicKey":…,"signature":…}`.
///
/// The signature proves only that the payload is from the owner of the key; the fingerprint in the
/// payload names this key.
package struct InviteSeal: Sendable, Equatable {
  /// The signed bytes: the JSON of the invite.
  package let payload: [UInt8]
  /// An Ed25519 key (RFC 8032, section 5.1.5): 32 bytes.
  package let publicKey: [UInt8]
  /// An Ed25519 signature (RFC 8032, section 5.1.6): 64 bytes.
  package let signature: [UInt8]

  /// The fingerprint of the key.
  package var signer: Fingerprint { Fingerprint(digest: SHA256.digest(publicKey)) }

  init(json: JSONValue) throws(InviteError) {
    payload = try Self.bytes("signedPayload", in: json)
    publicKey = try Self.bytes("publicKey", in: json, count: 32)
    signature = try Self.bytes("signature", in: json, count: 64)
  }

  private static func bytes(
    _ field: String,
    in json: JSONValue,
    count: Int? = nil
  ) throws(InviteError) -> [UInt8] {
    guard let bytes = json[field].string.flatMap({ Base64.decode($0) }),
      count == nil || count == bytes.count
    else { throw .malformed(field: field) }
    return bytes
  }
}
