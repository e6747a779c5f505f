// SPDX-License-Identifier: MIT

import Glibc
package import OppiModel

/// Where the certificates of the system's authorities are.
package struct TrustAnchors: Sendable, Equatable {
  /// A folder of certificates under their hashed names, which costs nothing until one is needed.
  package var directory: String?
  /// A bundle in one file; reading it takes tens of milliseconds.
  package var bundle: String?

  /// The environment's choice (`SSL_CERT_FILE`, `SSL_CERT_DIR`), else the hashed folder where the
  /// system has one, else the first bundle there is.
  package init(environment: [String: String]) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    directory = value("SSL_CERT_DIR")
    bundle = value("SSL_CERT_FILE")
    guard directory == nil, bundle == nil else { return }
    if Self.isHashed(Self.folder) {
      directory = Self.folder
    } else {
      bundle = Self.bundles.first { access($0, R_OK) == 0 }
    }
  }

  private static let folder = "/etc/ssl/certs"
  private static let bundles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  private static func isHashed(_ folder: String) -> Bool {
    guard let entries = opendir(folder) else { return false }
    defer { closedir(entries) }
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".0") { return true }
    }
    return false
  }
}

/// How a server's certificate is judged.
package enum Trust: Sendable, Equatable {
  /// The leaf must be this very certificate; names, dates and issuers do not matter.
  case pinned(Fingerprint)
  /// The chain must lead to one of the system's authorities and the name must match.
  case authorities
}

/// What sessions of one kind share: OpenSSL's `SSL_CTX`.
///
/// The context is never changed after it was made and never freed: it lives as long as the process.
/// OpenSSL allows any thread to make sessions from it, so its address may be shared.
package struct TLSContext: Sendable {
  let library: LibSSL
  private let address: UInt

  private static let minimumVersion = (command: Int32(123), version: 0x0303)
  private static let modes = (command: Int32(33), partialWrite: 1, movingBuffer: 2)
  private static let verifyPeer: Int32 = 1
  private static let pemFile: Int32 = 1

  private init(library: LibSSL, method: LibSSL.Method) throws(TransportError) {
    guard let context = library.makeContext(method()) else {
      throw .tlsFailed(reason: "cannot make a context")
    }
    self.library = library
    address = UInt(bitPattern: context)
    _ = library.controlContext(
      context,
      Self.minimumVersion.command,
      Self.minimumVersion.version,
      nil
    )
    _ = library.controlContext(
      context,
      Self.modes.command,
      Self.modes.partialWrite | Self.modes.movingBuffer,
      nil
    )
  }

  /// Makes the context of a client that compares pins and trusts no authority.
  init(library: LibSSL) throws(TransportError) {
    try self.init(library: library, method: library.clientMethod)
  }

  /// Makes the context of a client that trusts the system's authorities.
  init(library: LibSSL, anchors: TrustAnchors) throws(TransportError) {
    try self.init(library: library)
    library.setVerify(pointer, Self.verifyPeer, nil)
    guard library.loadAuthorities(pointer, anchors.bundle, anchors.directory) == 1 else {
      throw .certificateRejected(reason: "no certificates of authorities on this system")
    }
  }

  /// Makes the context of a server from PEM files; throws where they cannot be used.
  package init(certificateFile: String, keyFile: String) throws(TransportError) {
    guard let library = LibSSL() else { throw .tlsUnavailable }
    try self.init(library: library, method: library.serverMethod)
    guard library.useCertificateChain(pointer, certificateFile) == 1,
      library.usePrivateKey(pointer, keyFile, Self.pemFile) == 1
    else { throw .tlsFailed(reason: "cannot use \(certificateFile)") }
  }

  /// The hash of a server's own certificate, which its invites tell; `nil` for a client.
  package var certificatePin: Fingerprint? {
    library.contextCertificate(pointer).flatMap(library.fingerprint)
  }

  var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }
}
