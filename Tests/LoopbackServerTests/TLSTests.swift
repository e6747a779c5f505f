// SPDX-License-Identifier: MIT

import Foundation
import OppiModel
import OppiTransport
import Testing

@testable import LoopbackServer

@Suite("A server over TLS")
struct TLSTests {
  /// Makes a certificate for the time of a test, and the configuration of a server with it.
  private static func withCertificate(
    _ body: (LoopbackServer.Configuration) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = folder.appending(path: "server.key").path
    let certificate = folder.appending(path: "server.crt").path
    try openssl(
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "1",
      "-subj",
      "/CN=localhost",
      "-keyout",
      key,
      "-out",
      certificate
    )
    var configuration = LoopbackServer.Configuration()
    configuration.tls = try TLSContext(certificateFile: certificate, keyFile: key)
    configuration.certificatePin = configuration.tls?.certificatePin
    try body(configuration)
  }

  private static func openssl(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  @Test("a client with the invite's pin pairs, creates a session and plays a turn")
  func turn() throws {
    try Self.withCertificate { configuration in
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
  }

  @Test("pieces are records of their own")
  func pieces() throws {
    try Self.withCertificate { configuration in
      var configuration = configuration
      configuration.interceptor = { step in
        if case .accepted = step { .proceedInPieces(size: 3) } else { .proceed }
      }
      try TestClient.run(configuration) { client in
        let stream = try await client.network.open(client.destination, until: TestClient.deadline)
        let request = "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"
        try await stream.write(Array(request.utf8), until: TestClient.deadline)
        var pieces: [[UInt8]] = []
        while true {
          let piece = try await stream.read(until: TestClient.deadline)
          if piece.isEmpty { break }
          pieces.append(piece)
        }
        #expect(pieces.dropLast().allSatisfy { $0.count == 3 })
        #expect(String(decoding: pieces.joined(), as: UTF8.self).hasSuffix("\r\n0\r\n\r\n"))
      }
    }
  }

  @Test("another pin is refused, and the server has not heard a request")
  func wrongPin() throws {
    try Self.withCertificate { configuration in
      var configuration = configuration
      configuration.certificatePin = Fingerprint(digest: Array(repeating: 0, count: 32))
      try TestClient.run(configuration) { client in
        await #expect(throws: TransportError.self) { try await client.call("GET", "/me") }
        try await client.wait { $0.endedConnections == 1 }
        #expect(client.server.journal.requests.isEmpty)
      }
    }
  }

  @Test("a connection is cut, or hangs, before the handshake", arguments: [true, false])
  func beforeHandshake(cuts: Bool) throws {
    try Self.withCertificate { configuration in
      var configuration = configuration
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
}
