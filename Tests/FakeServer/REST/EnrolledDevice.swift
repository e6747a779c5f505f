// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

/// A device whose key a server knows.
struct EnrolledDevice: Sendable {
  var id: String
  var name: String
  var key: DevicePublicKey
  var createdAt: Timestamp
  var lastUsedAt: Timestamp?
  var revokedAt: Timestamp?
  /// The token of an older server that the first use of the device's own token replaces.
  var legacyToken: String?

  static let defaultName = "Device"

  /// The entry in the list of devices.
  var json: JSONValue {
    .object([
      "id": .string(id),
      "name": .string(name),
      "scope": "device",
      "createdAt": createdAt.json,
      "lastUsedAt": lastUsedAt?.json,
      "revokedAt": revokedAt?.json,
      "keyEnrolled": true,
    ])
  }

  /// Whether a key is a point of the curve.
  static func accepts(_ key: DevicePublicKey) -> Bool {
    (try? CryptoKey.p256(key, using: LibCrypto())) != nil
  }

  /// Whether a signature of 64 bytes in base64 is by the device's key.
  func verifies(_ signature: String, of message: [UInt8]) -> Bool {
    guard let bytes = Base64.decode(signature),
      let signature = ECDSASignature(concatenated: bytes),
      let key = try? CryptoKey.p256(key, using: LibCrypto())
    else { return false }
    return key.verifiesP256(signature, of: message)
  }
}
