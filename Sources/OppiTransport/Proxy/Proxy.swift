// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiText
package import OppiWire

/// A proxy for connections to `https` servers.
package struct Proxy: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// `CONNECT` (RFC 9110, section 9.3.6).
    case http
    /// SOCKS version 5 (RFC 1928); the proxy resolves host names.
    case socks5
  }

  package var kind: Kind
  package var host: String
  package var port: Int
  package var credentials: Credentials?

  package struct Credentials: Sendable, Equatable {
    package var user: String
    package var password: String
  }

  /// Parses `http://[user:password@]host[:port]`, `socks5://…` or `socks5h://…`.
  ///
  /// Without a scheme, the proxy is `http`. Returns `nil` for anything else.
  package init?(url: String) {
    var rest = Substring(url)
    var scheme = "http"
    if let end = rest.firstRange(of: "://") {
      scheme = rest[..<end.lowerBound].lowercased()
      rest = rest[end.upperBound...]
    }
    switch scheme {
    case "http": kind = .http
    case "socks5", "socks5h", "socks": kind = .socks5
    default: return nil
    }
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let password = parts.count > 1 ? parts[1].percentDecoded() : ""
      credentials = Credentials(user: parts[0].percentDecoded(), password: password)
      rest = rest[rest.index(after: at)...]
    }
    rest = rest.prefix { $0 != "/" }
    let defaultPort = kind == .http ? 3128 : 1080
    var name = rest
    var number = defaultPort
    if let colon = rest.lastIndex(of: ":"), rest.last != "]" {
      guard let given = Int(rest[rest.index(after: colon)...]) else { return nil }
      (name, number) = (rest[..<colon], given)
    }
    guard let endpoint = Endpoint(scheme: .http, host: String(name), port: number) else {
      return nil
    }
    (host, port) = (endpoint.host, endpoint.port)
  }
}

package struct ProxySettings: Sendable {
  /// The URL as given; an invalid one must not result in a direct connection.
  private let url: String?
  private let exceptions: [String]

  /// Reads `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, also in lower case.
  package init(environment: [String: String]) {
    func value(_ name: String) -> String? {
      [name.lowercased(), name].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    url = value("HTTPS_PROXY") ?? value("ALL_PROXY")
    exceptions = (value("NO_PROXY") ?? "").split { $0 == "," || $0 == " " }.map {
      $0.lowercased()
    }
  }

  /// The environment's proxy for an endpoint; `nil` for a direct connection.
  ///
  /// Never used for `http` servers, because tokens pass a proxy only inside TLS, or for the local
  /// machine.
  package func proxy(for endpoint: Endpoint) throws(TransportError) -> Proxy? {
    let host = endpoint.host.lowercased()
    let isLocal = host == "localhost" || host == "::1" || host.hasPrefix("127.")
    guard let url, endpoint.scheme == .https, !isLocal,
      !exceptions.contains(where: matches(host))
    else { return nil }
    guard let proxy = Proxy(url: url) else {
      throw .proxyFailed(reason: "HTTPS_PROXY or ALL_PROXY is not an http or socks5 URL")
    }
    return proxy
  }

  private func matches(_ host: String) -> (String) -> Bool {
    { exception in
      let suffix = exception.drop { $0 == "." || $0 == "*" }
      return exception == "*" || host == suffix || host.hasSuffix("." + suffix)
    }
  }
}

struct ProxyTunnel {
  let proxy: Proxy
  let endpoint: Endpoint
  let stream: ByteStream
  let deadline: EventLoop.Instant

  func open() async throws(TransportError) {
    do {
      switch proxy.kind {
      case .http: try await connect()
      case .socks5: try await socks()
      }
    } catch .timedOut {
      throw .timedOut(.proxy)
    } catch .closed {
      throw .closed(.proxy)
    } catch .malformedAnswer(let error) {
      throw .proxyFailed(reason: error.description)
    }
  }

  // MARK: CONNECT

  private func connect() async throws(TransportError) {
    var headers = HTTPHeaders()
    headers.append(name: "Host", value: endpoint.authority)
    if let credentials = proxy.credentials {
      let pair = Base64.encode(Array("\(credentials.user):\(credentials.password)".utf8))
      headers.append(name: "Proxy-Authorization", value: "Basic \(pair)")
    }
    let request = HTTPRequest(method: "CONNECT", target: endpoint.authority, headers: headers)
    try await send(request.wireBytes())
    var parser = HTTPResponseParser.forHead
    let status = try await stream.readResponse(with: &parser, until: deadline).response.status
    guard (200..<300).contains(status) else { throw .proxyFailed(reason: "status \(status)") }
    // Bytes after the response come from the proxy, not from TLS.
    guard parser.leftover.isEmpty else {
      throw .proxyFailed(reason: "unexpected data after the response")
    }
  }

  private func send(_ bytes: [UInt8]) async throws(TransportError) {
    try await stream.write(bytes, until: deadline)
  }

  // MARK: SOCKS5 (RFC 1928, RFC 1929)

  private func socks() async throws(TransportError) {
    let method: UInt8 = proxy.credentials == nil ? 0 : 2
    try await send([5, 1, method])
    guard try await read(2) == [5, method] else {
      throw .proxyFailed(reason: "authentication method not accepted")
    }
    if let credentials = proxy.credentials {
      let (user, password) = (Array(credentials.user.utf8), Array(credentials.password.utf8))
      guard user.count < 256, password.count < 256 else {
        throw .proxyFailed(reason: "user name or password is longer than 255 bytes")
      }
      try await send([1, UInt8(user.count)] + user + [UInt8(password.count)] + password)
      guard try await read(2).last == 0 else {
        throw .proxyFailed(reason: "user name or password rejected")
      }
    }
    let host = Array(endpoint.host.utf8)
    let port = UInt16(endpoint.port)
    let target = [UInt8(host.count)] + host + [UInt8(port >> 8), UInt8(port & 0xFF)]
    try await send([5, 1, 0, 3] + target)
    let reply = try await read(4)
    guard reply[1] == 0 else { throw .proxyFailed(reason: "SOCKS error \(reply[1])") }
    try await skipBoundAddress(type: reply[3])
  }

  private func skipBoundAddress(type: UInt8) async throws(TransportError) {
    let length =
      switch type {
      case 1: 4
      case 4: 16
      case 3: Int(try await read(1)[0])
      default: throw TransportError.proxyFailed(reason: "unknown address type in the SOCKS reply")
      }
    _ = try await read(length + 2)
  }

  /// Reads exactly `count` bytes; the proxy sends nothing else before the tunnel is open.
  private func read(_ count: Int) async throws(TransportError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let chunk = try await stream.read(until: deadline, atMost: count - bytes.count)
      guard !chunk.isEmpty else { throw .closed(.proxy) }
      bytes += chunk
    }
    return bytes
  }
}
