// SPDX-License-Identifier: MIT

import EventLoop

/// OpenSSL's keys and signatures, loaded from the system's libcrypto when they are first needed.
///
/// Signatures and constants are from section 3 of OpenSSL's manual; they are the same in 1.1.1, 3
/// and 4.
package struct LibCrypto: Sendable {
  typealias Make = @convention(c) (OpaquePointer?) -> OpaquePointer?
  typealias MakeNew = @convention(c) () -> OpaquePointer?
  typealias Free = @convention(c) (OpaquePointer?) -> Void
  typealias Step = @convention(c) (OpaquePointer?) -> Int32
  typealias Encode =
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
  typealias Decode =
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int)
    -> OpaquePointer?
  typealias MakeRaw =
    @convention(c) (Int32, OpaquePointer?, UnsafePointer<UInt8>, Int) -> OpaquePointer?
  typealias Begin =
    @convention(c) (
      OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?
    ) -> Int32

  let freeKey: Free
  let makeKeyContext: @convention(c) (Int32, OpaquePointer?) -> OpaquePointer?
  let freeKeyContext: Free
  let beginGeneration: Step
  let setParameter:
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
  let generate: @convention(c) (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  let encodePrivateKey: Encode
  let decodePrivateKey: Decode
  let encodePublicKey: Encode
  let decodePublicKey: Decode
  let makeRawPrivateKey: MakeRaw
  let makeRawPublicKey: MakeRaw
  let rawPublicKey:
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int>) -> Int32
  let keyType: Step
  let makeDigestContext: MakeNew
  let freeDigestContext: Free
  let beginSigning: Begin
  let sign:
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>, UnsafePointer<UInt8>,
      Int
    ) -> Int32
  let beginVerification: Begin
  let verify:
    @convention(c) (OpaquePointer?, UnsafePointer<UInt8>, Int, UnsafePointer<UInt8>, Int) -> Int32
  let sha256: MakeNew
  let clearErrors: @convention(c) () -> Void
}

/// Why a key or signature cannot be made or used.
package enum CryptoError: Error, Equatable {
  /// libcrypto is not installed, or cannot be loaded.
  case unavailable
  /// The library refused an operation, or a key cannot be read.
  case failed
}

extension LibCrypto {
  /// The names of the library, the current one first.
  private static let names = ["libcrypto.so.3", "libcrypto.so.4", "libcrypto.so.1.1"]

  /// Loads the library.
  ///
  /// - Throws: `CryptoError.unavailable`.
  package init() throws(CryptoError) {
    do throws(SharedLibrary.Failure) {
      self = try Self.table(in: SharedLibrary(named: Self.names))
    } catch {
      throw .unavailable
    }
  }

  private static func table(
    in library: SharedLibrary
  ) throws(SharedLibrary.Failure) -> LibCrypto {
    LibCrypto(
      freeKey: try library.find("EVP_PKEY_free"),
      makeKeyContext: try library.find("EVP_PKEY_CTX_new_id"),
      freeKeyContext: try library.find("EVP_PKEY_CTX_free"),
      beginGeneration: try library.find("EVP_PKEY_keygen_init"),
      setParameter: try library.find("EVP_PKEY_CTX_ctrl_str"),
      generate: try library.find("EVP_PKEY_keygen"),
      encodePrivateKey: try library.find("i2d_PrivateKey"),
      decodePrivateKey: try library.find("d2i_AutoPrivateKey"),
      encodePublicKey: try library.find("i2d_PUBKEY"),
      decodePublicKey: try library.find("d2i_PUBKEY"),
      makeRawPrivateKey: try library.find("EVP_PKEY_new_raw_private_key"),
      makeRawPublicKey: try library.find("EVP_PKEY_new_raw_public_key"),
      rawPublicKey: try library.find("EVP_PKEY_get_raw_public_key"),
      keyType: try library.find("EVP_PKEY_get_base_id", "EVP_PKEY_base_id"),
      makeDigestContext: try library.find("EVP_MD_CTX_new"),
      freeDigestContext: try library.find("EVP_MD_CTX_free"),
      beginSigning: try library.find("EVP_DigestSignInit"),
      sign: try library.find("EVP_DigestSign"),
      beginVerification: try library.find("EVP_DigestVerifyInit"),
      verify: try library.find("EVP_DigestVerify"),
      sha256: try library.find("EVP_sha256"),
      clearErrors: try library.find("ERR_clear_error")
    )
  }
}
