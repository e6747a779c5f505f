// SPDX-License-Identifier: MIT

import Glibc
import OppiModel

/// TLS on one socket: OpenSSL's `SSL`, driven without blocking.
final class TLSSession {
  /// Which end of the handshake this is, and how the peer is judged.
  enum Side {
    case client(host: String, trust: Trust)
    case server
  }

  private let library: LibSSL
  private let session: OpaquePointer
  private let side: Side
  /// The descriptor belongs to the socket, which must outlive the session.
  private var socket: (any Socket)?

  private static let serverName = (command: Int32(55), type: 0)

  init(context: TLSContext, side: Side) throws(TransportError) {
    library = context.library
    guard let session = library.makeSession(context.pointer) else {
      throw .tlsFailed(reason: "cannot make a session")
    }
    self.session = session
    self.side = side
    if case .client(let host, let trust) = side { try name(host, trust) }
  }

  deinit {
    library.freeSession(session)
  }

  /// Asks for the host by name (SNI, RFC 6066 section 3, which is not for addresses) and lets the
  /// library check the name where authorities are trusted.
  private func name(_ host: String, _ trust: Trust) throws(TransportError) {
    let isAddress = SystemSockets.isAddress(host)
    if !isAddress {
      var text = Array(host.utf8CString)
      text.withUnsafeMutableBytes { raw in
        _ = library.controlSession(
          session,
          Self.serverName.command,
          Self.serverName.type,
          raw.baseAddress
        )
      }
    }
    guard case .authorities = trust else { return }
    let status =
      isAddress
      ? library.setAddress(library.parameters(session), host) : library.setHost(session, host)
    // A name that the library does not take must not turn into no name to check.
    guard status == 1 else { throw .certificateRejected(reason: "no name to check it for") }
  }

  func attach(to socket: any Socket) {
    self.socket = socket
    _ = library.setDescriptor(session, socket.descriptor)
  }

  /// Takes the handshake one step on; done, and the peer judged, where it did not have to wait.
  func handshake() throws(TransportError) -> Transfer {
    library.clearErrors()
    switch side {
    case .server: return try outcome(library.accept(session), during: .tls)
    case .client(_, let trust):
      let outcome = try outcome(library.connect(session), during: .tls)
      if case .bytes = outcome { try checkPin(trust) }
      return outcome
    }
  }

  /// Nothing has been sent over the session yet, so a wrong peer learns nothing.
  private func checkPin(_ trust: Trust) throws(TransportError) {
    guard case .pinned(let pin) = trust else { return }
    guard let certificate = library.peerCertificate(session) else {
      throw .tlsFailed(reason: "the server sent no certificate")
    }
    defer { library.freeCertificate(certificate) }
    guard let found = library.fingerprint(of: certificate) else {
      throw .tlsFailed(reason: "cannot hash the certificate")
    }
    guard found == pin else { throw .pinMismatch(found: found) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Transfer {
    library.clearErrors()
    let status = library.read(session, buffer.baseAddress, Int32(clamping: buffer.count))
    return try outcome(status, during: .answer)
  }

  func write(_ bytes: [UInt8], from start: Int) throws(TransportError) -> Transfer {
    library.clearErrors()
    let status = bytes.withUnsafeBytes { raw in
      let rest = UnsafeRawBufferPointer(rebasing: raw[start...])
      return library.write(session, rest.baseAddress, Int32(clamping: rest.count))
    }
    return try outcome(status, during: .request)
  }

  func shutDown() {
    library.clearErrors()
    _ = library.shutDown(session)
  }

  /// Reads the result of a call as SSL_get_error(3) tells it.
  private func outcome(
    _ status: Int32,
    during step: TransportError.Step
  ) throws(TransportError) -> Transfer {
    if status > 0 { return .bytes(Int(status)) }
    switch library.error(session, status) {
    case 2: return .wouldBlock(reading: true)
    case 3: return .wouldBlock(reading: false)
    case 6: return .endOfStream
    // A connection that ends without TLS's own farewell may have been cut by anyone.
    case 5: throw .closed(step)
    default: throw failure(during: step)
    }
  }

  private func failure(during step: TransportError.Step) -> TransportError {
    if case .client(_, .authorities) = side {
      let verification = library.verifyResult(session)
      if verification != 0, let text = library.verifyErrorText(verification) {
        return .certificateRejected(reason: String(cString: text).lowercased())
      }
    }
    let code = library.queuedError()
    guard let text = library.queuedErrorText(code) else { return .tlsFailed(reason: "unknown") }
    let reason = String(cString: text)
    return reason == "unexpected eof while reading" ? .closed(step) : .tlsFailed(reason: reason)
  }
}

extension SystemSockets {
  /// Whether a host is an IPv4 or IPv6 address and not a name.
  static func isAddress(_ host: String) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1
  }
}
