// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
package import OppiWire
import Synchronization
package import WebSocketCodec

/// Opens connections; holds what all connections of a process share.
package final class Network: Sendable {
  package let loop: EventLoop
  package let secrets = KnownSecrets()
  private let sockets: any SocketSystem
  private let proxies: ProxySettings
  private let environment: [String: String]
  private let tls = Mutex(TLSState())
  /// Reaching the system's limit of open files would look like unreachable servers.
  private let admission: Admission

  /// The contexts of TLS, each created for the first server that needs it.
  private struct TLSState {
    /// All pinned servers share a context, because the session compares the pin.
    var pinned: TLSContext?
    var verified: TLSContext?
  }

  /// Creates a network with the proxies and certificate folders of the environment.
  package init(
    loop: EventLoop,
    environment: [String: String],
    sockets: any SocketSystem = SystemSockets()
  ) {
    self.loop = loop
    self.sockets = sockets
    self.environment = environment
    admission = Admission(surely: 100) { sockets.connectionLimit() }
    proxies = ProxySettings(environment: environment)
  }

  package struct Destination: Sendable {
    package var endpoint: Endpoint
    package var pin: Fingerprint?
    /// A proxy for this destination; `nil` uses the environment's proxy.
    package var proxy: Proxy?

    package init(endpoint: Endpoint, pin: Fingerprint? = nil, proxy: Proxy? = nil) {
      self.endpoint = endpoint
      self.pin = pin
      self.proxy = proxy
    }
  }

  /// Opens a connection; over `https`, returns only after it has accepted the server's certificate.
  package func open(
    _ destination: Destination,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> ByteStream {
    let endpoint = destination.endpoint
    let proxy = try proxy(for: destination)
    guard endpoint.scheme == .https || destination.pin == nil else {
      throw .tlsFailed(reason: "a pinned certificate requires https")
    }
    let trust = destination.pin.map(Trust.pinned) ?? .authorities
    let permit = try await admission.enter(on: loop, until: deadline, during: .connect)
    let socket = try await Connector(loop: loop, sockets: sockets).connect(
      to: proxy?.host ?? endpoint.host,
      port: proxy?.port ?? endpoint.port,
      until: deadline
    ) {
      if endpoint.scheme == .https { _ = try? context(for: trust) }
    }
    socket.disableDelay()
    let stream = ByteStream(loop: loop, socket: socket, permit: permit)
    if let proxy {
      try await ProxyTunnel(proxy: proxy, endpoint: endpoint, stream: stream, deadline: deadline)
        .open()
    }
    guard endpoint.scheme == .https else { return stream }
    let session = try TLSSession(
      context: try context(for: trust),
      side: .client(host: endpoint.host, trust: trust)
    )
    try await stream.startTLS(session, until: deadline)
    return stream
  }

  private func proxy(for destination: Destination) throws(TransportError) -> Proxy? {
    guard let own = destination.proxy else { return try proxies.proxy(for: destination.endpoint) }
    guard destination.endpoint.scheme == .https else {
      throw .proxyFailed(reason: "a proxy requires an https server")
    }
    return own
  }

  private func context(for trust: Trust) throws(TransportError) -> TLSContext {
    try tls.withLock { state throws(TransportError) in
      let isPinned = trust != .authorities
      if let known = isPinned ? state.pinned : state.verified { return known }
      let library: LibSSL
      if let loaded = (state.pinned ?? state.verified)?.library {
        library = loaded
      } else {
        library = try LibSSL()
      }
      if isPinned {
        let context = try TLSContext(library: library)
        state.pinned = context
        return context
      }
      let anchors = TrustAnchors(environment: environment)
      let context = try TLSContext(library: library, anchors: anchors)
      state.verified = context
      return context
    }
  }
}

/// The secrets that this process has read, received or sent.
///
/// All that servers send passes it before it is read, so that no secret reaches a screen, a file or
/// a log through a server that repeats it.
package final class KnownSecrets: Sendable {
  private let filter = Mutex(SecretFilter())

  init() {}

  package func learn(_ secret: String) {
    _ = filter.withLock { $0.insert(secret) }
  }

  package func redacted(_ text: String) -> String {
    filter.withLock(\.self).redacted(text)
  }

  /// The bytes of a text or of JSON without secrets.
  func redacted(_ bytes: [UInt8]) -> [UInt8] {
    filter.withLock(\.self).redacted(bytes) ?? bytes
  }
}

package enum TransportError: Error, Equatable {
  /// A step of the communication, as error messages name it.
  package enum Step: String, Sendable {
    case lookup = "looking up the host name"
    case connect = "connecting"
    case proxy = "opening the proxy tunnel"
    case tls = "TLS handshake"
    case request = "sending the request"
    case answer = "waiting for the response"
  }

  case cancelled
  case timedOut(Step)
  case lookupFailed(reason: String)
  /// The failure of the last attempt.
  case connectFailed(SystemError)
  case proxyFailed(reason: String)
  case tlsUnavailable
  case tlsFailed(reason: String)
  /// No system authority vouches for the certificate and the name.
  case certificateRejected(reason: String)
  /// The certificate is not the one pinned at pairing.
  case pinMismatch(found: Fingerprint)
  /// The connection was closed during the step.
  case closed(Step)
  case ioFailed(SystemError)
  case malformedRequest(HTTPEncodingError)
  case malformedAnswer(HTTPError)
  case upgradeRefused(HandshakeError)
  case webSocketBroken(ProtocolError)
}

extension EventLoop.WaitError {
  func transportError(during step: TransportError.Step) -> TransportError {
    switch self {
    case .timedOut: .timedOut(step)
    case .cancelled: .cancelled
    }
  }
}
