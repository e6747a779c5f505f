// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import TestSupport
import Testing

@testable import OppiTransport

/// A proxy on loopback that forwards each tunnel to one port and records all bytes.
struct ForwardingProxy: Sendable {
  struct WrongQuestion: Error {}

  enum Kind {
    /// CONNECT; the request is in ``received``.
    case http
    /// SOCKS5 with or without authentication.
    case socks(credentials: (user: String, password: String)?)
  }

  let loop: EventLoop
  let kind: Kind
  /// The destination of all tunnels, for any host.
  let port: Int
  let received = Received()

  func serve(_ accepted: AcceptedConnection) async throws {
    let client = SharedStream(try await accepted.open())
    switch kind {
    case .http: try await answerConnect(client)
    case .socks(let credentials): try await answerSOCKS(client, credentials)
    }
    let server = SharedStream(
      try await Network(loop: loop, environment: [:]).open(.local(port), until: .farOff)
    )
    await withDiscardingTaskGroup { group in
      group.addTask { await client.forward(to: server, recording: received) }
      group.addTask { await server.forward(to: client, recording: received) }
    }
  }

  private func answerConnect(_ client: SharedStream) async throws {
    var parser = HTTPRequestParser()
    while true {
      let bytes = try await client.read()
      received.add(bytes)
      if bytes.isEmpty { throw WrongQuestion() }
      if try parser.receive(bytes) != nil { break }
    }
    // In pieces, and with the version that many proxies send.
    for piece in ["HTTP/1.0 200 Conn", "ection established\r\nVia: x\r", "\n\r\n"] {
      try await client.write(Array(piece.utf8))
      await Task.yield()
    }
  }

  private func answerSOCKS(
    _ client: SharedStream,
    _ credentials: (user: String, password: String)?
  ) async throws {
    let method: UInt8 = credentials == nil ? 0 : 2
    try await expect([5, 1, method], from: client)
    try await client.write([5, method])
    if let (user, password) = credentials {
      let (user, password) = (Array(user.utf8), Array(password.utf8))
      try await expect([1, UInt8(user.count)] + user, from: client)
      try await expect([UInt8(password.count)] + password, from: client)
      try await client.write([1, 0])
    }
    try await expect([5, 1, 0, 3], from: client)
    let length = try await client.read(count: 1)
    received.add(length)
    received.add(try await client.read(count: Int(length[0]) + 2))
    // The bound address is a name, sent byte by byte.
    for byte in [5, 0, 0, 3, 2, 0x61, 0x62, 0, 80] as [UInt8] {
      try await client.write([byte])
      await Task.yield()
    }
  }

  private func expect(_ bytes: [UInt8], from client: SharedStream) async throws {
    let found = try await client.read(count: bytes.count)
    received.add(found)
    #expect(found == bytes)
    if found != bytes { throw WrongQuestion() }
  }
}
