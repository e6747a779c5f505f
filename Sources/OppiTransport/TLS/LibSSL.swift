// SPDX-License-Identifier: MIT

import Glibc
import OppiModel

/// OpenSSL's functions, found in the system's libssl when TLS is first needed.
///
/// Loading it by name and not linking it keeps a plain `http` command free of its cost and the
/// package free of its headers. Signatures and numbers are those of OpenSSL's manual, section 3;
/// they are the same in 1.1, 3 and 4.
struct LibSSL: Sendable {
  typealias Method = @convention(c) () -> OpaquePointer?
  typealias Make = @convention(c) (OpaquePointer?) -> OpaquePointer?
  typealias Free = @convention(c) (OpaquePointer?) -> Void
  typealias Step = @convention(c) (OpaquePointer?) -> Int32
  typealias Control =
    @convention(c) (OpaquePointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int
  typealias SetVerify = @convention(c) (OpaquePointer?, Int32, OpaquePointer?) -> Void
  typealias LoadAuthorities =
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Int32
  typealias SetDescriptor = @convention(c) (OpaquePointer?, Int32) -> Int32
  typealias SetText = @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> Int32
  typealias Read = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int32) -> Int32
  typealias Write = @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int32) -> Int32
  typealias GetError = @convention(c) (OpaquePointer?, Int32) -> Int32
  typealias Digest =
    @convention(c) (
      OpaquePointer?, OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?
    ) -> Int32
  typealias VerifyResult = @convention(c) (OpaquePointer?) -> Int
  typealias ErrorText = @convention(c) (Int) -> UnsafePointer<CChar>?
  typealias QueuedError = @convention(c) () -> UInt
  typealias QueuedErrorText = @convention(c) (UInt) -> UnsafePointer<CChar>?
  typealias ClearErrors = @convention(c) () -> Void
  typealias UseFile = @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> Int32
  typealias UseTypedFile = @convention(c) (OpaquePointer?, UnsafePointer<CChar>, Int32) -> Int32

  let freeContext: Free
  let clientMethod: Method
  let serverMethod: Method
  let makeContext: Make
  let controlContext: Control
  let setVerify: SetVerify
  let loadAuthorities: LoadAuthorities
  let useCertificateChain: UseFile
  let usePrivateKey: UseTypedFile
  let contextCertificate: Make
  let makeSession: Make
  let freeSession: Free
  let controlSession: Control
  let setDescriptor: SetDescriptor
  let setHost: SetText
  let parameters: Make
  let setAddress: SetText
  let connect: Step
  let accept: Step
  let read: Read
  let write: Write
  let shutDown: Step
  let error: GetError
  let verifyResult: VerifyResult
  let verifyErrorText: ErrorText
  let peerCertificate: Make
  let freeCertificate: Free
  let digestCertificate: Digest
  let sha256: Method
  let queuedError: QueuedError
  let queuedErrorText: QueuedErrorText
  let clearErrors: ClearErrors
}

extension LibSSL {
  /// The names under which the library is installed, the current one first.
  private static let names = ["libssl.so.3", "libssl.so.4", "libssl.so.1.1"]

  /// Loads the library.
  ///
  /// - Throws: `tlsUnavailable` where none is installed or a function is missing, `tlsFailed` where
  ///   it is there and cannot be loaded.
  init() throws(TransportError) {
    let handle = try Self.open()
    guard let table = try? Symbols(handle: handle).table() else { throw .tlsUnavailable }
    self = table
    // The library writes to sockets without the flag that keeps the signal away.
    signal(SIGPIPE, SIG_IGN)
  }

  private static func open() throws(TransportError) -> UnsafeMutableRawPointer {
    for name in names {
      if let handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL) { return handle }
      let reason = dlerror().map { String(cString: $0) } ?? ""
      // The words of the C library are all that it says.
      guard reason.hasSuffix(String(cString: strerror(ENOENT))) else {
        throw .tlsFailed(reason: reason)
      }
    }
    throw .tlsUnavailable
  }
}

extension LibSSL {
  /// The hash by which a certificate is pinned: SHA-256 over its DER; `nil` where it cannot be made.
  func fingerprint(of certificate: OpaquePointer) -> Fingerprint? {
    var digest = [UInt8](repeating: 0, count: 64)
    var size: UInt32 = 0
    guard digestCertificate(certificate, sha256(), &digest, &size) == 1, size == 32 else {
      return nil
    }
    return Fingerprint(digest: Array(digest[..<32]))
  }
}

/// Looks functions up by name.
///
/// The handle of libssl also leads to the functions of libcrypto, on which libssl depends.
private struct Symbols {
  struct Missing: Error {}

  let handle: UnsafeMutableRawPointer

  private func find<Function>(_ names: String...) throws(Missing) -> Function {
    for name in names {
      if let address = dlsym(handle, name) {
        return unsafeBitCast(address, to: Function.self)
      }
    }
    throw Missing()
  }

  func table() throws(Missing) -> LibSSL {
    LibSSL(
      freeContext: try find("SSL_CTX_free"),
      clientMethod: try find("TLS_client_method"),
      serverMethod: try find("TLS_server_method"),
      makeContext: try find("SSL_CTX_new"),
      controlContext: try find("SSL_CTX_ctrl"),
      setVerify: try find("SSL_CTX_set_verify"),
      loadAuthorities: try find("SSL_CTX_load_verify_locations"),
      useCertificateChain: try find("SSL_CTX_use_certificate_chain_file"),
      usePrivateKey: try find("SSL_CTX_use_PrivateKey_file"),
      contextCertificate: try find("SSL_CTX_get0_certificate"),
      makeSession: try find("SSL_new"),
      freeSession: try find("SSL_free"),
      controlSession: try find("SSL_ctrl"),
      setDescriptor: try find("SSL_set_fd"),
      setHost: try find("SSL_set1_host"),
      parameters: try find("SSL_get0_param"),
      setAddress: try find("X509_VERIFY_PARAM_set1_ip_asc"),
      connect: try find("SSL_connect"),
      accept: try find("SSL_accept"),
      read: try find("SSL_read"),
      write: try find("SSL_write"),
      shutDown: try find("SSL_shutdown"),
      error: try find("SSL_get_error"),
      verifyResult: try find("SSL_get_verify_result"),
      verifyErrorText: try find("X509_verify_cert_error_string"),
      peerCertificate: try find("SSL_get1_peer_certificate", "SSL_get_peer_certificate"),
      freeCertificate: try find("X509_free"),
      digestCertificate: try find("X509_digest"),
      sha256: try find("EVP_sha256"),
      queuedError: try find("ERR_get_error"),
      queuedErrorText: try find("ERR_reason_error_string"),
      clearErrors: try find("ERR_clear_error")
    )
  }
}
