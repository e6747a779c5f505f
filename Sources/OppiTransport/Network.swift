// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
import Synchronization

/// The way to servers: everything that connections of one process share.
package final class Network: Sendable {
  package let loop: EventLoop
  private let sockets: any SocketSystem
  private let proxies: ProxySettings
  private let anchors: @Sendable () -> TrustAnchors
  private let tls = Mutex(TLSState())
  private let admission: Admission

  /// What TLS needs, made when the first `https` server is spoken to.
  private struct TLSState {
    var library: LibSSL?
    var pinned: TLSContext?
    var verified: TLSContext?

    /// One context serves all pinned servers, since a pin is compared on the session.
    mutating func context(
      for trust: Trust,
      anchors: () -> TrustAnchors
    ) throws(TransportError) -> TLSContext {
      let library = if let library { library } else { try LibSSL() }
      self.library = library
      switch trust {
      case .pinned:
        if let pinned { return pinned }
        let context = try TLSContext(library: library)
        pinned = context
        return context
      case .authorities:
        if let verified { return verified }
        let context = try TLSContext(library: library, anchors: anchors())
        verified = context
        return context
      }
    }
  }

  /// Makes a network that follows the environment's proxies and certificate folders.
  package init(
    loop: EventLoop,
    environment: [String: String],
    sockets: any SocketSystem = SystemSockets()
  ) {
    self.loop = loop
    self.sockets = sockets
    admission = Admission { sockets.connectionLimit() }
    proxies = ProxySettings(environment: environment)
    // Looked for only when a server without a pin is spoken to.
    anchors = { TrustAnchors(environment: environment) }
  }

  /// Where a connection goes and whom it trusts there.
  package struct Destination: Sendable {
    package var endpoint: Endpoint
    package var pin: Fingerprint?
    /// A proxy for this destination alone; `nil` follows the environment.
    package var proxy: Proxy?

    package init(endpoint: Endpoint, pin: Fingerprint? = nil, proxy: Proxy? = nil) {
      self.endpoint = endpoint
      self.pin = pin
      self.proxy = proxy
    }
  }

  /// Opens a connection; over `https` it stands only when the server's certificate was accepted.
  package func open(
    _ destination: Destination,
    until deadline: EventLoop.Instant
  ) async throws(TransportError) -> ByteStream {
    let endpoint = destination.endpoint
    let proxy = try proxy(for: destination)
    guard endpoint.scheme == .https || destination.pin == nil else {
      throw .tlsFailed(reason: "a pinned server is spoken to by https only")
    }
    let trust = destination.pin.map(Trust.pinned) ?? .authorities
    let permit: Admission.Permit
    do {
      permit = try await admission.enter(on: loop, until: deadline)
    } catch {
      throw error.transportError(during: .connect)
    }
    let connector = Connector(loop: loop, sockets: sockets)
    let socket = try await connector.connect(
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
      throw .proxyFailed(reason: "a proxy is used for https servers only")
    }
    return own
  }

  private func context(for trust: Trust) throws(TransportError) -> TLSContext {
    let result = tls.withLock { state in
      Result { () throws(TransportError) in try state.context(for: trust, anchors: anchors) }
    }
    return try result.get()
  }
}
