// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Testing

@Suite struct DevicePublicKeyTests {
  private static let x = [UInt8](1...32)
  private static let y = [UInt8](33...64)

  @Test("a key is read from its JSON and its DER form")
  func roundTrip() throws {
    let key = try #require(DevicePublicKey(x: Self.x, y: Self.y))
    #expect(key.json["kty"] == "EC" && key.json["crv"] == "P-256")
    #expect(key.json["x"].string?.utf8.count == 43)
    #expect(DevicePublicKey(json: key.json) == key)
    #expect(key.der.count == 91)
    #expect(DevicePublicKey(der: key.der) == key)
  }

  @Test(
    "a key of another kind or size is rejected",
    arguments: ["kty", "crv", "x", "y"],
    [JSONValue.null, "RSA", "AAAA", 5]
  )
  func otherKeys(member: String, value: JSONValue) throws {
    var json = try #require(DevicePublicKey(x: Self.x, y: Self.y)?.json.object)
    json[member] = value
    #expect(DevicePublicKey(json: .object(json)) == nil)
  }

  @Test("a DER form with another start or length is rejected")
  func otherDER() throws {
    let der = try #require(DevicePublicKey(x: Self.x, y: Self.y)?.der)
    for other in [Array(der.dropLast()), der + [0], [0x31] + der.dropFirst(), []] as [[UInt8]] {
      #expect(DevicePublicKey(der: other) == nil)
      #expect(KeyProgramOutput.publicKey(in: other) == nil)
    }
  }
}

@Suite struct ECDSASignatureTests {
  private static let small = [UInt8](repeating: 0, count: 31) + [1]
  private static let large = [UInt8](repeating: 0xFF, count: 32)

  @Test(
    "a signature has the same value in both forms",
    arguments: [
      (small + small, [0x30, 6, 2, 1, 1, 2, 1, 1]),
      (
        small + [0x80] + [UInt8](repeating: 0, count: 31),
        [0x30, 38, 2, 1, 1, 2, 33, 0, 0x80] + [UInt8](repeating: 0, count: 31)
      ),
      (large + small, [0x30, 38, 2, 33, 0] + large + [2, 1, 1]),
      ([UInt8](repeating: 0, count: 64), [0x30, 6, 2, 1, 0, 2, 1, 0]),
    ] as [([UInt8], [UInt8])]
  )
  func forms(concatenated: [UInt8], der: [UInt8]) throws {
    let signature = try #require(ECDSASignature(concatenated: concatenated))
    #expect(signature.der == der)
    #expect(ECDSASignature(der: der) == signature)
  }

  @Test(
    "other bytes are not a signature",
    arguments: [
      [], [0x30], [0x30, 0], [0x31, 6, 2, 1, 1, 2, 1, 1], [0x30, 7, 2, 1, 1, 2, 1, 1],
      [0x30, 5, 2, 1, 1, 2, 1, 1], [0x30, 6, 2, 1, 1, 3, 1, 1], [0x30, 3, 2, 1, 1],
      [0x30, 7, 2, 1, 1, 2, 1, 1, 0], [0x30, 6, 2, 1, 0x80, 2, 1, 1], [0x30, 5, 2, 0, 2, 1, 1],
      [0x30, 6, 2, 1, 1, 2, 2, 1], [0x30, 38, 2, 33, 1] + large + [2, 1, 1],
    ] as [[UInt8]]
  )
  func invalid(der: [UInt8]) {
    #expect(ECDSASignature(der: der) == nil)
  }

  @Test("the concatenated form has 64 bytes", arguments: [0, 63, 65])
  func size(count: Int) {
    #expect(ECDSASignature(concatenated: [UInt8](repeating: 1, count: count)) == nil)
  }
}

@Suite struct KeyProgramOutputTests {
  private static let key = DevicePublicKey(x: Array(1...32), y: Array(33...64))
  private static let signature = ECDSASignature(concatenated: Array(129...192))

  /// The forms of DER that programs print.
  private static func forms(of der: [UInt8], label: String) -> [[UInt8]] {
    let base64 = Base64.encode(der)
    let lines = "\(base64.prefix(64))\n\(base64.dropFirst(64))"
    return [
      der, Array(base64.utf8), Array("\(base64)\n".utf8), Array(" \(lines)\r\n".utf8),
      Array("-----BEGIN \(label)-----\n\(lines)\n-----END \(label)-----\n".utf8),
    ]
  }

  @Test("a public key and a signature are read as DER, base64 and PEM")
  func values() throws {
    let (key, signature) = (try #require(Self.key), try #require(Self.signature))
    for form in Self.forms(of: key.der, label: "PUBLIC KEY") {
      #expect(KeyProgramOutput.publicKey(in: form) == key)
      #expect(KeyProgramOutput.signature(in: form) == nil)
    }
    for form in Self.forms(of: signature.der, label: "SIGNATURE") {
      #expect(KeyProgramOutput.signature(in: form) == signature)
      #expect(KeyProgramOutput.publicKey(in: form) == nil)
    }
  }

  @Test(
    "other output is neither",
    arguments: ["", "0", "0\u{45}", "no key", "-----BEGIN PUBLIC KEY-----", "MAA=", "AAAA"]
  )
  func other(output: String) {
    #expect(KeyProgramOutput.publicKey(in: Array(output.utf8)) == nil)
    #expect(KeyProgramOutput.signature(in: Array(output.utf8)) == nil)
  }
}
