// SPDX-License-Identifier: MIT

package import OppiWire

/// An asymmetric key of OpenSSL, public or private.
///
/// It is not sendable: a flow makes one from its bytes when it needs it.
package final class CryptoKey {
  /// The numbers of the key types (OpenSSL's `obj_mac.h`).
  private enum Kind: Int32 {
    case ec = 408
    case ed25519 = 1087
  }

  private let library: LibCrypto
  private let pointer: OpaquePointer
  private let kind: Kind

  private init(_ library: LibCrypto, _ pointer: OpaquePointer?, _ kind: Kind) throws(CryptoError) {
    guard let pointer else {
      library.clearErrors()
      throw .failed
    }
    self.library = library
    self.pointer = pointer
    self.kind = kind
  }

  deinit {
    library.freeKey(pointer)
  }
}

// MARK: - P-256

extension CryptoKey {
  /// Creates a private key with the curve P-256.
  package static func generateP256(using library: LibCrypto) throws(CryptoError) -> CryptoKey {
    let context = library.makeKeyContext(Kind.ec.rawValue, nil)
    defer { library.freeKeyContext(context) }
    var pointer: OpaquePointer?
    guard library.beginGeneration(context) == 1,
      library.setParameter(context, "ec_paramgen_curve", "P-256") == 1,
      library.generate(context, &pointer) == 1
    else {
      library.clearErrors()
      throw .failed
    }
    return try CryptoKey(library, pointer, .ec)
  }

  /// Reads a private key of ``privateDER``.
  package static func p256(
    privateDER: [UInt8],
    using library: LibCrypto
  ) throws(CryptoError) -> CryptoKey {
    let key = try CryptoKey(library, decode(privateDER, with: library.decodePrivateKey), .ec)
    guard library.keyType(key.pointer) == Kind.ec.rawValue, key.p256 != nil else { throw .failed }
    return key
  }

  /// Makes a public key; throws unless the point is on the curve.
  package static func p256(
    _ key: DevicePublicKey,
    using library: LibCrypto
  ) throws(CryptoError) -> CryptoKey {
    try CryptoKey(library, decode(key.der, with: library.decodePublicKey), .ec)
  }

  /// The private key in DER (RFC 5915, section 3).
  package func privateDER() throws(CryptoError) -> [UInt8] {
    try encoded(with: library.encodePrivateKey)
  }

  /// The public key; `nil` for another curve.
  package var p256: DevicePublicKey? {
    (try? encoded(with: library.encodePublicKey)).flatMap(DevicePublicKey.init(der:))
  }

  /// Signs with ECDSA and SHA-256.
  package func signP256(_ message: [UInt8]) throws(CryptoError) -> ECDSASignature {
    guard let signature = ECDSASignature(der: try sign(message)) else { throw .failed }
    return signature
  }

  /// Whether an ECDSA signature with SHA-256 is by this key.
  package func verifiesP256(_ signature: ECDSASignature, of message: [UInt8]) -> Bool {
    verifies(signature.der, of: message)
  }
}

// MARK: - Ed25519

extension CryptoKey {
  /// Makes a public key (RFC 8032, section 5.1) from its 32 bytes.
  package static func ed25519(
    publicKey: [UInt8],
    using library: LibCrypto
  ) throws(CryptoError) -> CryptoKey {
    let type = Kind.ed25519.rawValue
    return try CryptoKey(
      library,
      library.makeRawPublicKey(type, nil, publicKey, publicKey.count),
      .ed25519
    )
  }

  /// Makes a private key from its 32 bytes.
  package static func ed25519(
    seed: [UInt8],
    using library: LibCrypto
  ) throws(CryptoError) -> CryptoKey {
    let type = Kind.ed25519.rawValue
    return try CryptoKey(library, library.makeRawPrivateKey(type, nil, seed, seed.count), .ed25519)
  }

  /// The 32 bytes of an Ed25519 public key.
  package func ed25519PublicKey() throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32)
    var count = bytes.count
    guard library.rawPublicKey(pointer, &bytes, &count) == 1, count == bytes.count else {
      throw .failed
    }
    return bytes
  }
}

// MARK: - OpenSSL's calls

extension CryptoKey {
  /// Ed25519 hashes the message itself (RFC 8032).
  private var digest: OpaquePointer? { kind == .ec ? library.sha256() : nil }

  /// Longer than any signature of the two kinds.
  private static let signatureLimit = 128

  /// A signature in DER of a P-256 key, and the 64 bytes of an Ed25519 key's.
  package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    let context = library.makeDigestContext()
    defer { library.freeDigestContext(context) }
    var signature = [UInt8](repeating: 0, count: Self.signatureLimit)
    var count = signature.count
    guard library.beginSigning(context, nil, digest, nil, pointer) == 1,
      library.sign(context, &signature, &count, message, message.count) == 1
    else {
      library.clearErrors()
      throw .failed
    }
    return Array(signature.prefix(count))
  }

  package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    let context = library.makeDigestContext()
    defer { library.freeDigestContext(context) }
    let isVerified =
      library.beginVerification(context, nil, digest, nil, pointer) == 1
      && library.verify(context, signature, signature.count, message, message.count) == 1
    if !isVerified { library.clearErrors() }
    return isVerified
  }

  private func encoded(with encode: LibCrypto.Encode) throws(CryptoError) -> [UInt8] {
    let count = encode(pointer, nil)
    guard count > 0 else { throw .failed }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    let written = bytes.withUnsafeMutableBufferPointer { buffer in
      var position = buffer.baseAddress
      return encode(pointer, &position)
    }
    guard written == count else { throw .failed }
    return bytes
  }

  private static func decode(_ bytes: [UInt8], with decode: LibCrypto.Decode) -> OpaquePointer? {
    bytes.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      return decode(nil, &position, buffer.count)
    }
  }
}
