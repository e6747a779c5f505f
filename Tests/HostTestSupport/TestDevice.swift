// SPDX-License-Identifier: MIT

package import OppiText
import OppiTransport
package import OppiWire
import Testing

/// A device of a test, with its key.
package struct TestDevice: Sendable {
  package let privateKey: [UInt8]
  package let publicKey: DevicePublicKey

  package init() throws {
    let key = try CryptoKey.generateP256(using: LibCrypto())
    privateKey = try key.privateDER()
    publicKey = try #require(key.p256)
  }

  package func signature(of nonce: String, audience: String = "oppi:refresh:v1") throws
    -> ECDSASignature
  {
    let key = try CryptoKey.p256(privateDER: privateKey, using: LibCrypto())
    return try key.signP256(Array("\(audience).\(nonce)".utf8))
  }

  /// The signature as in a request.
  package func sign(_ nonce: String) throws -> String {
    Base64.encodeURL(try signature(of: nonce).concatenated)
  }

  /// A key of the right form whose point is not on the curve.
  package static var pointOffCurve: JSONValue {
    let coordinate = JSONValue.string(Base64.encodeURL(Array(repeating: 1, count: 32)))
    return ["kty": "EC", "crv": "P-256", "x": coordinate, "y": coordinate]
  }
}
