// SPDX-License-Identifier: MIT

import Glibc
package import OppiWire

/// The shared state of sessions: OpenSSL's `SSL_CTX`.
///
/// Its address is safe to share: the context never changes after its creation, and OpenSSL allows
/// creating sessions from it on any thread. Sessions retain what they need of it.
package final class TLSContext: Sendable {
  let library: LibSSL
  private let address: UInt

  private static let minimumVersion = (command: Int32(123), version: 0x0303)
  private static let modes = (
    command: Int32(33), partialWrite: 1, movingBuffer: 2, releaseBuffers: 16
  )
  private static let verifyPeer: Int32 = 1
  private static let pemFile: Int32 = 1

  private init(library: LibSSL, method: LibSSL.Method) throws(TransportError) {
    guard let context = library.makeContext(method()) else {
      throw .tlsFailed(reason: "cannot create a TLS context")
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
      Self.modes.partialWrite | Self.modes.movingBuffer | Self.modes.releaseBuffers,
      nil
    )
  }

  deinit {
    library.freeContext(pointer)
  }

  /// Creates a client context that compares pins and trusts no authority.
  convenience init(library: LibSSL) throws(TransportError) {
    try self.init(library: library, method: library.clientMethod)
  }

  /// Creates a client context that trusts the system's authorities.
  convenience init(library: LibSSL, anchors: TrustAnchors) throws(TransportError) {
    try self.init(library: library)
    library.setVerify(pointer, Self.verifyPeer, nil)
    guard library.loadAuthorities(pointer, anchors.bundle, anchors.directory) == 1 else {
      throw .certificateRejected(reason: "no CA certificates found on this system")
    }
  }

  /// Creates a server context from PEM files; throws if they are not usable.
  package convenience init(certificateFile: String, keyFile: String) throws(TransportError) {
    let library = try LibSSL()
    try self.init(library: library, method: library.serverMethod)
    guard library.useCertificateChain(pointer, certificateFile) == 1,
      library.usePrivateKey(pointer, keyFile, Self.pemFile) == 1
    else { throw .tlsFailed(reason: "cannot use \(certificateFile)") }
  }

  /// The fingerprint of a server's own certificate, which its invites contain; `nil` for a client.
  package var certificatePin: Fingerprint? {
    library.contextCertificate(pointer).flatMap(library.fingerprint)
  }

  var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }
}

package enum Trust: Sendable, Equatable {
  /// The leaf certificate must match; names, dates and issuers are ignored.
  case pinned(Fingerprint)
  /// The chain must lead to one of the system's authorities, and the name must match.
  case authorities
}

/// The location of the system's CA certificates.
package struct TrustAnchors: Sendable, Equatable {
  /// A folder of certificates with hashed names; certificates are read on demand.
  package var directory: String?
  /// A file with all certificates; reading it takes tens of milliseconds.
  package var bundle: String?

  /// Uses `SSL_CERT_FILE` and `SSL_CERT_DIR` if set.
  ///
  /// Otherwise uses the system's hashed folder, else the first bundle found.
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
