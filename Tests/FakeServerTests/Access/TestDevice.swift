// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import FakeServer
@testable import OppiHost

/// A device of a test, with its key.
struct TestDevice: Sendable {
  let privateKey: [UInt8]
  let publicKey: DevicePublicKey

  init() throws {
    let key = try CryptoKey.generateP256(using: LibCrypto())
    privateKey = try key.privateDER()
    publicKey = try #require(key.p256)
  }

  func signature(of nonce: String, audience: String = "oppi:refresh:v1") throws -> ECDSASignature {
    let key = try CryptoKey.p256(privateDER: privateKey, using: LibCrypto())
    return try key.signP256(Array("\(audience).\(nonce)".utf8))
  }

  /// The signature as in a request.
  func sign(_ nonce: String) throws -> String {
    Base64.encodeURL(try signature(of: nonce).concatenated)
  }

  /// A key of the right form whose point is not on the curve.
  static var pointOffCurve: JSONValue {
    let coordinate = JSONValue.string(Base64.encodeURL(Array(repeating: 1, count: 32)))
    return ["kty": "EC", "crv": "P-256", "x": coordinate, "y": coordinate]
  }
}
