// SPDX-License-Identifier: MIT

/// The public key of this machine, with which a server checks its signatures: a point of the curve
/// P-256.
package struct DevicePublicKey: Sendable, Equatable {
  /// The big-endian coordinates, 32 bytes each.
  package let x: [UInt8]
  package let y: [UInt8]

  /// The size of a coordinate in bytes.
  private static let size = 32

  /// Fails unless each coordinate has 32 bytes.
  package init?(x: [UInt8], y: [UInt8]) {
    guard x.count == Self.size, y.count == Self.size else { return nil }
    self.x = x
    self.y = y
  }

  /// Reads a JSON Web Key (RFC 7518, section 6.2.1); `nil` for any other key.
  package init?(json: JSONValue) {
    guard json["kty"] == "EC", json["crv"] == "P-256",
      let x = json["x"].string.flatMap({ Base64.decode($0) }),
      let y = json["y"].string.flatMap({ Base64.decode($0) })
    else { return nil }
    self.init(x: x, y: y)
  }

  /// The JSON Web Key (RFC 7518, section 6.2.1).
  package var json: JSONValue {
    [
      "kty": "EC", "crv": "P-256", "x": .string(Base64.encodeURL(x)),
      "y": .string(Base64.encodeURL(y)),
    ]
  }

  /// The start of the DER form (RFC 5480, section 2) up to the point, which is not compressed.
  private static let prefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
    0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
  ]

  /// Reads a SubjectPublicKeyInfo (RFC 5480, section 2); `nil` for any other key.
  package init?(der: [UInt8]) {
    guard der.starts(with: Self.prefix) else { return nil }
    let point = Array(der.dropFirst(Self.prefix.count))
    self.init(x: Array(point.prefix(Self.size)), y: Array(point.dropFirst(Self.size)))
  }

  /// The SubjectPublicKeyInfo (RFC 5480, section 2).
  package var der: [UInt8] { Self.prefix + x + y }
}
