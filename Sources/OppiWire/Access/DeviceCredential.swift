// SPDX-License-Identifier: MIT

package import OppiText

/// The key with which this machine signs in to one server.
package struct DeviceCredential: Sendable, Equatable {
  /// What signs for the device.
  package enum Signer: Sendable, Equatable {
    /// A private key in DER (RFC 5915, section 3).
    case key([UInt8])
    /// A program with its arguments, which keeps the private key.
    case program([String])
  }

  /// Assigned by the server; `nil` for a key that is not enrolled yet.
  package var deviceID: String?
  package var signer: Signer

  /// The program that keeps the key; empty if there is none.
  package var keyCommand: [String] {
    if case .program(let command) = signer { command } else { [] }
  }

  package init(deviceID: String?, signer: Signer) {
    self.deviceID = deviceID
    self.signer = signer
  }

  package init(deviceID: String?, key: [UInt8]) {
    self.init(deviceID: deviceID, signer: .key(key))
  }

  /// Reads an entry of the credential file, or a systemd credential.
  ///
  /// An entry without a private key is that of the server's program; `nil` without a program.
  package init?(json: JSONValue, keyCommand: [String] = []) {
    guard json.object != nil, json["deviceId"] == .null || json["deviceId"].wireID != nil else {
      return nil
    }
    let deviceID = json["deviceId"].wireID
    if json["privateKey"] == .null, !keyCommand.isEmpty {
      self.init(deviceID: deviceID, signer: .program(keyCommand))
      return
    }
    guard let key = json["privateKey"].string.flatMap({ Base64.decode($0) }),
      (1...Self.keyLimit).contains(key.count)
    else { return nil }
    self.init(deviceID: deviceID, key: key)
  }

  /// The entry of the credential file; the program is in the entry of the server.
  package var json: JSONValue {
    var members: JSONObject = [:]
    members["deviceId"] = deviceID.map(JSONValue.string)
    if case .key(let key) = signer { members["privateKey"] = .string(Base64.encode(key)) }
    return .object(members)
  }

  /// In bytes; longer than any P-256 key.
  private static let keyLimit = 1024
}

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

/// An ECDSA signature with the curve P-256.
///
/// The protocol uses the concatenation of `r` and `s` (RFC 7518, section 3.4), OpenSSL the DER form
/// (RFC 3279, section 2.2.3).
package struct ECDSASignature: Sendable, Equatable {
  /// The size of `r` and of `s` in bytes.
  private static let half = 32

  /// `r` and `s` as 64 bytes.
  package let concatenated: [UInt8]

  /// Fails unless there are 64 bytes.
  package init?(concatenated: [UInt8]) {
    guard concatenated.count == 2 * Self.half else { return nil }
    self.concatenated = concatenated
  }

  /// Fails unless it is a sequence of two integers of at most 32 bytes.
  package init?(der: [UInt8]) {
    var rest = der[...]
    guard rest.popFirst() == Tag.sequence, rest.popFirst().map(Int.init) == rest.count,
      let r = Self.integer(&rest), let s = Self.integer(&rest), rest.isEmpty
    else { return nil }
    concatenated = r + s
  }

  package var der: [UInt8] {
    let (r, s) = (concatenated.prefix(Self.half), concatenated.suffix(Self.half))
    let integers = Self.integer(r) + Self.integer(s)
    return [Tag.sequence, UInt8(integers.count)] + integers
  }

  private enum Tag {
    static let integer: UInt8 = 0x02
    static let sequence: UInt8 = 0x30
  }

  /// Reads an unsigned integer, and pads it with zeros to 32 bytes.
  private static func integer(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard rest.popFirst() == Tag.integer, let count = rest.popFirst().map(Int.init),
      (1...half + 1).contains(count), count <= rest.count
    else { return nil }
    let digits = rest.prefix(count)
    rest.removeFirst(count)
    guard digits.first.map({ $0 < 0x80 }) == true else { return nil }
    let significant = digits.drop { $0 == 0 }
    guard significant.count <= half else { return nil }
    return Array(repeating: 0, count: half - significant.count) + significant
  }

  /// The DER form of an unsigned integer: without leading zeros, except one before a set top bit.
  private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var digits = Array(bytes.drop { $0 == 0 })
    if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
    return [Tag.integer, UInt8(digits.count)] + digits
  }
}

/// The output of a program that keeps a private key: DER, base64 of DER, or PEM.
package enum KeyProgramOutput {
  /// The public key in the output; `nil` unless it is a P-256 key.
  package static func publicKey(in output: [UInt8]) -> DevicePublicKey? {
    der(in: output).flatMap(DevicePublicKey.init(der:))
  }

  /// The ECDSA signature in the output; `nil` unless it is one for P-256.
  package static func signature(in output: [UInt8]) -> ECDSASignature? {
    der(in: output).flatMap(ECDSASignature.init(der:))
  }

  /// The first byte of DER, a sequence.
  ///
  /// It is a digit in ASCII, with which no base64 of DER begins.
  private static let sequence: UInt8 = 0x30

  private static func der(in output: [UInt8]) -> [UInt8]? {
    if output.first == sequence { return output }
    let text = String(decoding: output, as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
    return Base64.decode(lines.joined().filter { !$0.isWhitespace })
  }
}
