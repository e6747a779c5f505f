// SPDX-License-Identifier: MIT

package import OppiModel

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
  package var credentials: (user: String, password: String)? {
    user.map { ($0, password ?? "") }
  }

  private var user: String?
  private var password: String?

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
      user = parts[0].percentDecoded()
      password = parts.count > 1 ? parts[1].percentDecoded() : nil
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

  package static func == (left: Self, right: Self) -> Bool {
    (left.kind, left.host, left.port) == (right.kind, right.host, right.port)
      && left.user == right.user && left.password == right.password
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
