// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiWire
import TestSupport
import Testing

@testable import OppiTransport

@Suite("ProxyTunnel", .needs("openssl"), .certificates)
struct ProxyTunnelTests {
  private static let token = "sk_very-secret"
  private let certificates: Certificates

  init() throws { certificates = try .current }

  /// Sends a request with a token through a proxy, and returns the bytes that the proxy received.
  private func exchange(
    through kind: ForwardingProxy.Kind,
    url: @escaping @Sendable (_ port: Int) -> String,
    fromEnvironment: Bool = false
  ) throws -> Received {
    let identity = certificates.selfSigned
    return try onLoop { loop in
      try await withServer(on: loop) { accepted in
        let stream = try await accepted.open(tls: identity.context())
        let request = try await stream.readRequest()
        let isAuthorized = request.headers["Authorization"] == "Bearer \(Self.token)"
        try await stream.write(HTTPResponse(status: isAuthorized ? 200 : 401).encoded())
      } while: { port in
        let forwarding = ForwardingProxy(loop: loop, kind: kind, port: port)
        return try await withServer(on: loop, forwarding.serve) { proxyPort in
          let url = url(proxyPort)
          let environment = fromEnvironment ? ["ALL_PROXY": url] : [:]
          // Only the proxy can resolve this name.
          let connection = HTTPConnection(
            network: Network(loop: loop, environment: environment),
            destination: try .local(
              7749,
              scheme: .https,
              host: "oppi.invalid",
              pin: identity.pin,
              proxy: fromEnvironment ? nil : Proxy(url: url)
            )
          )
          let headers: HTTPHeaders = ["Authorization": "Bearer \(Self.token)"]
          let request = HTTPRequest(method: "GET", target: "/me", headers: headers)
          let response = try await connection.exchange(request, until: .farOff).response
          #expect(response.status == 200)
          #expect(!forwarding.received.text.contains(Self.token))
          return forwarding.received
        }
      }
    }
  }

  @Test(
    "a request passes through CONNECT, and the token is not visible to the proxy",
    arguments: [false, true]
  )
  func connect(fromEnvironment: Bool) throws {
    let seen = try exchange(
      through: .http,
      url: { "http://ann:p%40ss@127.0.0.1:\($0)" },
      fromEnvironment: fromEnvironment
    )
    let head = "CONNECT oppi.invalid:7749 HTTP/1.1\r\nHost: oppi.invalid:7749\r\n"
    let credentials = "Proxy-Authorization: Basic YW5uOnBAc3M=\r\n\r\n"
    #expect(seen.text.hasPrefix(head + credentials))
    #expect(seen.bytes.count > (head + credentials).utf8.count + 500)
  }

  @Test(
    "a request passes through SOCKS5, and the token is not visible to the proxy",
    arguments: [false, true]
  )
  func socks(fromEnvironment: Bool) throws {
    let seen = try exchange(
      through: .socks(credentials: nil),
      url: { "socks5h://127.0.0.1:\($0)" },
      fromEnvironment: fromEnvironment
    )
    let target = [12] + Array("oppi.invalid".utf8) + [0x1E, 0x45]
    #expect(seen.bytes.starts(with: [5, 1, 0, 5, 1, 0, 3] + target))
  }

  @Test("SOCKS5 sends the credentials of the URL")
  func socksCredentials() throws {
    _ = try exchange(through: .socks(credentials: (user: "ann", password: ""))) {
      "socks5://ann@127.0.0.1:\($0)"
    }
  }

  @Test("a certificate is verified for the name of the server, not of the proxy")
  func verifiedName() throws {
    let identity = certificates.trusted
    let environment = ["SSL_CERT_DIR": certificates.authorities]
    try onLoop { loop in
      try await withServer(on: loop) { accepted in
        _ = await (try await accepted.open(tls: identity.context())).readToEnd()
      } while: { port in
        let forwarding = ForwardingProxy(loop: loop, kind: .http, port: port)
        try await withServer(on: loop, forwarding.serve) { proxyPort in
          let network = Network(loop: loop, environment: environment)
          let proxy = Proxy(url: "127.0.0.1:\(proxyPort)")
          let known = try Network.Destination.local(
            9,
            scheme: .https,
            host: "localhost",
            proxy: proxy
          )
          _ = try await network.open(known, until: .farOff)
          let other = try Network.Destination.local(
            9,
            scheme: .https,
            host: "x.invalid",
            proxy: proxy
          )
          await #expect(throws: TransportError.certificateRejected(reason: "hostname mismatch")) {
            try await network.open(other, until: .farOff)
          }
        }
      }
    }
  }

  @Test("a proxy is not used for a plain server, since it would see the token")
  func plainServer() throws {
    try onLoop { loop in
      let closed = try RawSocket()
      await #expect {
        let destination = try Network.Destination.local(
          closed.port,
          proxy: Proxy(url: "127.0.0.1:\(closed.port)")
        )
        _ = try await Network(loop: loop, environment: [:]).open(destination, until: .farOff)
      } throws: { error in
        if case TransportError.proxyFailed = error { true } else { false }
      }
    }
  }
}
