// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct KeyProgramOutputTests {
  private static let key = DevicePublicKey(
    x: Array(1...32),
    y: Array(33...64)
  )
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

  @Test("a public key is read as DER, base64 and PEM")
  func publicKey() throws {
    let key = try #require(Self.key)
    for form in Self.forms(of: key.der, label: "PUBLIC KEY") {
      #expect(KeyProgramOutput.publicKey(in: form) == key)
      #expect(KeyProgramOutput.signature(in: form) == nil)
    }
  }

  @Test("a signature is read as DER and base64")
  func signature() throws {
    let signature = try #require(Self.signature)
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

  @Test("a key with a byte more or less is no key", arguments: [-1, 1])
  func length(change: Int) throws {
    let der = try #require(Self.key).der
    let changed = change < 0 ? Array(der.dropLast()) : der + [0]
    #expect(KeyProgramOutput.publicKey(in: changed) == nil)
  }
}
