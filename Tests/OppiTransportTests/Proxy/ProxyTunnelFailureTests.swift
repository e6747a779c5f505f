// SPDX-License-Identifier: MIT

import EventLoop
import OppiWire
import TestSupport
import Testing

@testable import OppiTransport

@Suite("ProxyTunnel, failures")
struct ProxyTunnelFailureTests {
  /// The error of a connection whose proxy runs a script.
  private func failure(
    url scheme: String,
    within duration: Duration = .timeout,
    _ script: @escaping @Sendable (AcceptedConnection) async throws -> Void
  ) throws -> TransportError? {
    let talk = try onLoop { loop in
      try await Conversation(on: loop, server: script) { port in
        let destination = try Network.Destination.local(
          7749,
          scheme: .https,
          host: "oppi.invalid",
          proxy: Proxy(url: "\(scheme)127.0.0.1:\(port)")
        )
        let network = Network(loop: loop, environment: [:])
        _ = try await network.open(destination, until: .now + duration)
      }
    }
    guard case .failure(let error) = talk.client else { return nil }
    return error as? TransportError
  }

  /// A proxy that reads a number of bytes and writes a reply in each step, then closes.
  private static func answering(
    _ steps: [(read: Int, write: [UInt8])]
  ) -> @Sendable (AcceptedConnection) async throws -> Void {
    { accepted in
      let stream = try await accepted.open()
      for (count, bytes) in steps {
        _ = try await stream.read(count: count)
        try await stream.write(bytes)
      }
      stream.shutDown()
      _ = await stream.readToEnd()
    }
  }

  @Test(
    "a failure of an HTTP proxy is reported as a proxy failure",
    arguments: [
      (
        "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 2\r\n\r\nno",
        .proxyFailed(reason: "status 407")
      ),
      ("HTTP/1.1 502 Bad Gateway\r\n\r\n", .proxyFailed(reason: "status 502")),
      (
        "HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nLocation: http://x/\r\n\r\n",
        .proxyFailed(reason: "status 301")
      ),
      (
        "HTTP/1.1 200 OK\r\n\r\n\u{16}\u{3}",
        .proxyFailed(reason: "unexpected data after the response")
      ),
      ("HTTP/1.1 100 Continue\r\n\r\n", .closed(.proxy)), ("HTTP/1.1 200", .closed(.proxy)),
      ("", .closed(.proxy)),
      ("SSH-2.0-x\r\n", .proxyFailed(reason: "not an HTTP message")),
    ] as [(String, TransportError)]
  )
  func connect(answer: String, expected: TransportError) throws {
    let script = Self.answering([(60, Array(answer.utf8))])
    #expect(try failure(url: "http://", script) == expected)
  }

  @Test(
    "a failure of a SOCKS5 proxy is reported as a proxy failure",
    arguments: [
      ("", [], .closed(.proxy)), ("", [[5]], .closed(.proxy)),
      ("", [[5, 0xFF]], .proxyFailed(reason: "authentication method not accepted")),
      ("", [[4, 0]], .proxyFailed(reason: "authentication method not accepted")),
      (
        "", [[5, 0], [5, 5, 0, 1, 0, 0, 0, 0, 0, 0]],
        .proxyFailed(reason: "SOCKS error 5")
      ),
      (
        "", [[5, 0], [5, 0, 0, 9]], .proxyFailed(reason: "unknown address type in the SOCKS reply")
      ),
      ("", [[5, 0], [5, 0, 0, 4, 0, 0]], .closed(.proxy)),
      ("a:b@", [[5, 0]], .proxyFailed(reason: "authentication method not accepted")),
      ("a:b@", [[5, 2], [1, 1]], .proxyFailed(reason: "user name or password rejected")),
    ] as [(String, [[UInt8]], TransportError)]
  )
  func socks(user: String, answers: [[UInt8]], expected: TransportError) throws {
    // Bytes: greeting 3, authentication as "a" and "b" 5, connection request 19.
    let lengths = user.isEmpty ? [3, 19] : [3, 5]
    let script = Self.answering(zip(lengths, answers).map { ($0, $1) })
    #expect(try failure(url: "socks5://\(user)", script) == expected)
  }

  @Test("credentials too long for SOCKS5 are rejected")
  func longCredentials() throws {
    let password = String(repeating: "x", count: 256)
    let script = Self.answering([(3, [5, 2])])
    let expected = TransportError.proxyFailed(
      reason: "user name or password is longer than 255 bytes"
    )
    #expect(try failure(url: "socks5://a:\(password)@", script) == expected)
  }

  @Test("a proxy that does not reply times out", arguments: ["http://", "socks5://"])
  func hanging(scheme: String) throws {
    let error = try failure(url: scheme, within: .milliseconds(300)) { accepted in
      _ = await (try await accepted.open()).readToEnd()
    }
    #expect(error == .timedOut(.proxy))
  }

  @Test("a proxy that resets the connection fails as closed", arguments: ["http://", "socks5://"])
  func resetting(scheme: String) throws {
    let error = try failure(url: scheme) { accepted in
      accepted.socket.resetsOnClose()
      _ = try await accepted.open().read()
    }
    #expect(error == .closed(.proxy))
  }
}
