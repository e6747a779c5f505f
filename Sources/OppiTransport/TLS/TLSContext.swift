// SPDX-License-Identifier: MIT

import Glibc
package import OppiModel

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
