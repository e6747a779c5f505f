// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import HTTPCodec
import OppiWire
import TestSupport
import Testing

@testable import OppiTransport

@Suite("TLS handshake", .needs("openssl"), .certificates)
struct TLSHandshakeTests {
  private let certificates: Certificates

  init() throws { certificates = try .current }

  private func opened(_ port: Int, on loop: EventLoop, for duration: Duration = .timeout)
    async throws
  {
    _ = try await Network(loop: loop, environment: [:])
      .open(.local(port, scheme: .https, pin: certificates.trusted.pin), until: .now + duration)
  }

  /// Runs a client whose server reads the first TLS message, then runs a script.
  private func handshake(
    answeredBy script: @escaping @Sendable (ByteStream) async throws -> Void
  ) throws -> Conversation<Void, Void> {
    try onLoop { loop in
      try await Conversation(on: loop) { accepted in
        let stream = try await accepted.open()
        _ = try await stream.read()
        try await script(stream)
      } client: { port in
        try await opened(port, on: loop)
      }
    }
  }

  @Test(
    "the client sends the name of the server, but not an address",
    arguments: [
      ("localhost", true), ("127.0.0.1", false),
    ]
  )
  func serverName(host: String, isTold: Bool) throws {
    let pin = certificates.trusted.pin
    let talk = try onLoop { loop in
      try await Conversation(on: loop) { accepted in
        String(decoding: try await accepted.open().read(), as: Unicode.ASCII.self)
      } client: { port in
        let server = try Network.Destination.local(port, scheme: .https, host: host, pin: pin)
        _ = try await Network(loop: loop, environment: [:]).open(server, until: .farOff)
      }
    }
    #expect(try talk.server.get().contains(host) == isTold)
  }

  @Test("a pinned server is never contacted without TLS")
  func pinInTheClear() throws {
    let pin = certificates.trusted.pin
    let error = try onLoop { loop in
      let listener = try Listener(loop: loop)
      return await #expect(throws: TransportError.self) {
        let server = try Network.Destination.local(listener.port, pin: pin)
        _ = try await Network(loop: loop, environment: [:]).open(server, until: .farOff)
      }
    }
    #expect(error == .tlsFailed(reason: "a pinned certificate requires https"))
  }

  @Test("a plain HTTP server fails the handshake")
  func plainServer() throws {
    let talk = try handshake { try await $0.write("HTTP/1.1 400 Bad Request\r\n\r\n") }
    #expect(throws: TransportError.tlsFailed(reason: "wrong version number")) {
      try talk.client.get()
    }
  }

  @Test("a server that closes during the handshake fails as closed", arguments: [false, true])
  func hangUp(resets: Bool) throws {
    let talk = try onLoop { loop in
      try await Conversation(on: loop) { accepted in
        if resets { accepted.socket.resetsOnClose() }
        _ = try await accepted.open().read()
      } client: { port in
        try await opened(port, on: loop)
      }
    }
    #expect(throws: TransportError.closed(.tls)) { try talk.client.get() }
  }

  @Test("a close notification during the handshake fails as closed")
  func farewell() throws {
    // A record with the alert "close notify" (RFC 8446, section 6.1), which needs no key yet.
    let alert: [UInt8] = [21, 3, 3, 0, 2, 1, 0]
    let talk = try handshake { stream in
      try await stream.write(alert)
      _ = await stream.readToEnd()
    }
    #expect(throws: TransportError.closed(.tls)) { try talk.client.get() }
  }

  @Test("a server that does not complete the handshake times out")
  func hanging() throws {
    try onLoop { loop in
      let listener = try Listener(loop: loop)
      await #expect(throws: TransportError.timedOut(.tls)) {
        try await opened(listener.port, on: loop, for: .milliseconds(300))
      }
    }
  }

  @Test("cancellation ends the handshake")
  func cancelled() throws {
    try onLoop { loop in
      let listener = try Listener(loop: loop)
      await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await opened(listener.port, on: loop) }
        let accepted = try? await listener.accept()
        group.cancelAll()
        await #expect(throws: TransportError.cancelled) { try await group.next() }
        withExtendedLifetime(accepted) {}
      }
    }
  }

  // MARK: Versions

  @Test(
    "OpenSSL's own server completes a request",
    arguments: [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")]
  )
  func versions(option: String, version: String) throws {
    let server = try OpenSSLServer(certificates.trusted, options: [option, "-www"])
    let environment = ["SSL_CERT_DIR": certificates.authorities]
    let response = try onLoop { [port = server.port] loop in
      let connection = HTTPConnection(
        network: Network(loop: loop, environment: environment),
        destination: try .local(port, scheme: .https, host: "localhost")
      )
      let request = HTTPRequest(method: "GET", target: "/")
      return try await connection.exchange(request, until: .farOff).response
    }
    #expect(response.status == 200)
    #expect(String(decoding: response.body, as: UTF8.self).contains(version))
  }

  @Test("after a connection to a pinned server, the certificates of others are still verified")
  func afterPin() throws {
    let stranger = certificates.unknownIssuer
    let server = try OpenSSLServer(stranger, options: ["-www"])
    try onLoop { [port = server.port] loop in
      let network = Network(loop: loop, environment: [:])
      let pinned = try Network.Destination.local(port, scheme: .https, pin: stranger.pin)
      _ = try await network.open(pinned, until: .farOff)
      let other = try Network.Destination.local(port, scheme: .https)
      await #expect(throws: TransportError.self) { try await network.open(other, until: .farOff) }
    }
  }

  @Test("TLS 1.1 is rejected")
  func oldVersion() throws {
    let options = ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0", "-www"]
    let server = try OpenSSLServer(certificates.trusted, options: options)
    let port = server.port
    #expect(throws: TransportError.tlsFailed(reason: "tlsv1 alert protocol version")) {
      try onLoop { try await opened(port, on: $0) }
    }
  }
}
