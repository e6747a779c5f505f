// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiWire

/// OpenSSL's functions, loaded from the system's libssl when TLS is first needed.
///
/// It is loaded by name rather than linked, so that plain `http` commands do not pay for it and the
/// build needs no headers. Signatures and constants are from section 3 of OpenSSL's manual; they
/// are the same in 1.1, 3 and 4.
struct LibSSL: Sendable {
  typealias Method = @convention(c) () -> OpaquePointer?
  typealias Make = @convention(c) (OpaquePointer?) -> OpaquePointer?
  typealias Free = @convention(c) (OpaquePointer?) -> Void
  typealias Step = @convention(c) (OpaquePointer?) -> Int32
  typealias Control =
    @convention(c) (OpaquePointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int
  typealias SetText = @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> Int32

  let initialize: @convention(c) (UInt64, OpaquePointer?) -> Int32
  let freeContext: Free
  let clientMethod: Method
  let serverMethod: Method
  let makeContext: Make
  let controlContext: Control
  let setVerify: @convention(c) (OpaquePointer?, Int32, OpaquePointer?) -> Void
  let loadAuthorities:
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Int32
  let useCertificateChain: @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> Int32
  let usePrivateKey: @convention(c) (OpaquePointer?, UnsafePointer<CChar>, Int32) -> Int32
  let contextCertificate: Make
  let makeSession: Make
  let freeSession: Free
  let controlSession: Control
  let setDescriptor: @convention(c) (OpaquePointer?, Int32) -> Int32
  let setHost: SetText
  let parameters: Make
  let setAddress: SetText
  let connect: Step
  let accept: Step
  let read: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int32) -> Int32
  let write: @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int32) -> Int32
  let shutDown: Step
  let error: @convention(c) (OpaquePointer?, Int32) -> Int32
  let verifyResult: @convention(c) (OpaquePointer?) -> Int
  let verifyErrorText: @convention(c) (Int) -> UnsafePointer<CChar>?
  let peerCertificate: Make
  let freeCertificate: Free
  let digestCertificate:
    @convention(c) (
      OpaquePointer?, OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?
    ) -> Int32
  let sha256: Method
  let queuedError: @convention(c) () -> UInt
  let queuedErrorText: @convention(c) (UInt) -> UnsafePointer<CChar>?
  let clearErrors: @convention(c) () -> Void
}

extension LibSSL {
  /// `OPENSSL_INIT_NO_ATEXIT`.
  private static let noCleanUpAtExit: UInt64 = 0x8_0000

  /// The names of the library, the current one first.
  private static let names = ["libssl.so.3", "libssl.so.4", "libssl.so.1.1"]

  /// Loads the library.
  ///
  /// - Throws: `tlsUnavailable` if it is not installed or lacks a function, `tlsFailed` if it
  ///   cannot be loaded.
  init() throws(TransportError) {
    do throws(SharedLibrary.Failure) {
      self = try Self.table(in: SharedLibrary(named: Self.names))
    } catch .unusable(let reason) {
      throw .tlsFailed(reason: reason)
    } catch {
      throw .tlsUnavailable
    }
    // Skips the cleanup at exit: the kernel frees the memory. If the call fails, the first context
    // initializes the library as usual.
    _ = initialize(Self.noCleanUpAtExit, nil)
    // The library writes to sockets without MSG_NOSIGNAL.
    signal(SIGPIPE, SIG_IGN)
  }

  /// The fingerprint for pinning a certificate: SHA-256 of its DER form; `nil` if hashing fails.
  func fingerprint(of certificate: OpaquePointer) -> Fingerprint? {
    var digest = [UInt8](repeating: 0, count: 64)
    var size: UInt32 = 0
    guard digestCertificate(certificate, sha256(), &digest, &size) == 1, size == 32 else {
      return nil
    }
    return Fingerprint(digest: Array(digest[..<32]))
  }

  /// The handle of libssl also finds the functions of libcrypto, a dependency of libssl.
  private static func table(in library: SharedLibrary) throws(SharedLibrary.Failure) -> LibSSL {
    LibSSL(
      initialize: try library.find("OPENSSL_init_ssl"),
      freeContext: try library.find("SSL_CTX_free"),
      clientMethod: try library.find("TLS_client_method"),
      serverMethod: try library.find("TLS_server_method"),
      makeContext: try library.find("SSL_CTX_new"),
      controlContext: try library.find("SSL_CTX_ctrl"),
      setVerify: try library.find("SSL_CTX_set_verify"),
      loadAuthorities: try library.find("SSL_CTX_load_verify_locations"),
      useCertificateChain: try library.find("SSL_CTX_use_certificate_chain_file"),
      usePrivateKey: try library.find("SSL_CTX_use_PrivateKey_file"),
      contextCertificate: try library.find("SSL_CTX_get0_certificate"),
      makeSession: try library.find("SSL_new"),
      freeSession: try library.find("SSL_free"),
      controlSession: try library.find("SSL_ctrl"),
      setDescriptor: try library.find("SSL_set_fd"),
      setHost: try library.find("SSL_set1_host"),
      parameters: try library.find("SSL_get0_param"),
      setAddress: try library.find("X509_VERIFY_PARAM_set1_ip_asc"),
      connect: try library.find("SSL_connect"),
      accept: try library.find("SSL_accept"),
      read: try library.find("SSL_read"),
      write: try library.find("SSL_write"),
      shutDown: try library.find("SSL_shutdown"),
      error: try library.find("SSL_get_error"),
      verifyResult: try library.find("SSL_get_verify_result"),
      verifyErrorText: try library.find("X509_verify_cert_error_string"),
      peerCertificate: try library.find("SSL_get1_peer_certificate", "SSL_get_peer_certificate"),
      freeCertificate: try library.find("X509_free"),
      digestCertificate: try library.find("X509_digest"),
      sha256: try library.find("EVP_sha256"),
      queuedError: try library.find("ERR_get_error"),
      queuedErrorText: try library.find("ERR_reason_error_string"),
      clearErrors: try library.find("ERR_clear_error")
    )
  }
}
