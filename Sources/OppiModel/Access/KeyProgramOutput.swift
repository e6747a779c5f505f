// SPDX-License-Identifier: MIT

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
