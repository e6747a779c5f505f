// SPDX-License-Identifier: MIT

import Glibc

/// TLS on one socket: a nonblocking OpenSSL `SSL`.
final class TLSSession {
  enum Side {
    case client(host: String, trust: Trust)
    case server
  }

  private let library: LibSSL
  private let session: OpaquePointer
  private let side: Side
  /// Retained because the session uses its descriptor.
  private var socket: (any Socket)?

  private static let serverName = (command: Int32(55), type: 0)

  init(context: TLSContext, side: Side) throws(TransportError) {
    library = context.library
    guard let session = library.makeSession(context.pointer) else {
      throw .tlsFailed(reason: "cannot create a TLS session")
    }
    self.session = session
    self.side = side
    if case .client(let host, let trust) = side { try name(host, trust) }
  }

  deinit {
    library.freeSession(session)
  }

  /// Sets the server name (SNI, RFC 6066 section 3, not for addresses).
  ///
  /// If authorities are trusted, also sets the name that the library verifies.
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
    // If the library rejects the name, verification must not continue without one.
    guard status == 1 else { throw .certificateRejected(reason: "cannot verify the host name") }
  }

  func attach(to socket: any Socket) {
    self.socket = socket
    _ = library.setDescriptor(session, socket.descriptor)
  }

  /// Continues the handshake; when it is complete, checks the pin of a pinned server.
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

  /// Compares the pin.
  ///
  /// No data has been sent yet, so a wrong peer receives none.
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

  /// Interprets the result of a call with SSL_get_error(3).
  private func outcome(
    _ status: Int32,
    during step: TransportError.Step
  ) throws(TransportError) -> Transfer {
    if status > 0 { return .bytes(Int(status)) }
    switch library.error(session, status) {
    case 2: return .wouldBlock(reading: true)
    case 3: return .wouldBlock(reading: false)
    case 6: return .endOfStream
    // Without TLS's close notification, anyone may have cut the connection.
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
    guard let text = library.queuedErrorText(code) else {
      return .tlsFailed(reason: "unknown error")
    }
    let reason = String(cString: text)
    return reason == "unexpected eof while reading" ? .closed(step) : .tlsFailed(reason: reason)
  }
}

extension SystemSockets {
  static func isAddress(_ host: String) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1
  }
}
