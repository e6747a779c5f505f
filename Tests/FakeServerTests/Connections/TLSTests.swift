// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import FakeServer

@Suite("A server over TLS", .needs("openssl"))
struct TLSTests {
  private static func configuration() throws -> FakeServer.Configuration {
    var configuration = FakeServer.Configuration()
    configuration.dialect = .multiplexed
    configuration.tls = try TLSContext.selfSigned()
    configuration.certificatePin = configuration.tls?.certificatePin
    return configuration
  }

  @Test("a client with the invite's pin creates a session and runs a turn")
  func turn() throws {
    let configuration = try Self.configuration()
    try TestClient.run(configuration) { client in
      let invite = try Invite(client.server.makeInvite().url)
      #expect(invite.endpoint.scheme == .https)
      #expect(invite.certificatePin == configuration.certificatePin)
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("big", in: id)
      #expect(try await stream.readRun().last?["session"]["status"] == "ready")
      await client.server.stop()
      await #expect(throws: TestStream.Closed(code: 1001, reason: "Server shutting down")) {
        while true { _ = try await stream.next() }
      }
    }
  }

  @Test("each piece is a TLS record")
  func pieces() throws {
    var configuration = try Self.configuration()
    configuration.interceptor = { step in
      if case .accepted = step { .proceedInPieces(size: 3) } else { .proceed }
    }
    try TestClient.run(configuration) { client in
      let stream = try await client.network.open(client.destination, until: .farOff)
      let request = "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"
      try await stream.write(Array(request.utf8), until: .farOff)
      var pieces: [[UInt8]] = []
      while true {
        let piece = try await stream.read(until: .farOff)
        if piece.isEmpty { break }
        pieces.append(piece)
      }
      #expect(pieces.dropLast().allSatisfy { $0.count == 3 })
      #expect(String(decoding: pieces.joined(), as: UTF8.self).hasSuffix("\r\n0\r\n\r\n"))
    }
  }

  @Test("a client with another pin fails, and the server receives no request")
  func wrongPin() throws {
    var configuration = try Self.configuration()
    configuration.certificatePin = Fingerprint(digest: Array(repeating: 0, count: 32))
    try TestClient.run(configuration) { client in
      await #expect(throws: TransportError.self) { try await client.call("GET", "/me") }
      try await client.wait { $0.endedConnections == 1 }
      #expect(client.server.journal.requests.isEmpty)
    }
  }

  @Test("a connection is cut or hangs before the handshake", arguments: [true, false])
  func beforeHandshake(cuts: Bool) throws {
    var configuration = try Self.configuration()
    configuration.interceptor = { step in
      if case .accepted = step { cuts ? .drop : .hang } else { .proceed }
    }
    try TestClient.run(configuration) { client in
      let error = await #expect(throws: TransportError.self) {
        _ = try await client.network.open(client.destination, until: .now + .milliseconds(50))
      }
      switch error {
      case .timedOut(.tls)?: #expect(!cuts)
      case .closed(.tls)?: #expect(cuts)
      default: Issue.record("\(String(describing: error))")
      }
    }
  }
}
