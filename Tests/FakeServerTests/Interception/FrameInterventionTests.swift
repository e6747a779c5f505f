// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport
import Testing
import WebSocketCodec

@testable import FakeServer

@Suite("Interventions in frames and bytes")
struct FrameInterventionTests {
  private static func frame(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var random = SystemRandomNumberGenerator()
    FrameEncoder(role: .server)
      .encode(Frame(opcode: opcode, payload: payload), into: &bytes, using: &random)
    return bytes
  }

  @Test(
    "raw bytes can break the WebSocket protocol",
    arguments: [
      [0x81, 0x80, 0, 0, 0, 0],  // masked
      [0xC1, 0x00],  // a reserved bit
      [0x81, 0x7F, 0x40, 0, 0, 0, 0, 0, 0, 0],  // 2^62 bytes
      [0x81, 0x01, 0xFF],  // not UTF-8
    ] as [[UInt8]]
  )
  func broken(bytes: [UInt8]) throws {
    try TestClient.run(.wrong(at: "subscribe") { _ in .send(bytes, then: .ignore) }) { client in
      let id = try await client.createSession()
      let stream = try await client.openStream()
      let error = await #expect(throws: TransportError.self) { try await stream.subscribe(to: id) }
      guard case .webSocketBroken? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test("raw bytes can be a message that is not JSON")
  func notJSON() throws {
    let bytes = Self.frame(.text, Array("<html>".utf8))
    try TestClient.run(.wrong(at: "subscribe") { _ in .send(bytes, then: .hang) }) { client in
      let id = try await client.createSession()
      let stream = try await client.openStream()
      await #expect(throws: JSONError.self) { try await stream.subscribe(to: id) }
    }
  }

  @Test("fifty pings can precede the real answer")
  func pings() throws {
    let pings = (0..<50).flatMap { _ in Self.frame(.ping, []) }
    try TestClient.run(.wrong(at: "subscribe") { _ in .send(pings, then: .proceed) }) {
      client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      try await stream.readRun()
    }
  }

  @Test(
    "messages in fragments or pieces of seven bytes are unchanged",
    arguments: [Intervention.proceedFragmented(size: 7), .proceedInPieces(size: 7)]
  )
  func fragments(_ intervention: Intervention) throws {
    try TestClient.run(.wrong(at: "subscribe") { _ in intervention }) { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      let events = try await stream.readRun()
      #expect(events.all("message_end").last?["content"] == "The command printed: hi")
    }
  }

  @Test("a fragmented message has several frames on the wire")
  func fragmentsOnTheWire() throws {
    var configuration = FakeServer.Configuration()
    configuration.interceptor = { step in
      if case .opened = step { .proceedFragmented(size: 30) } else { .proceed }
    }
    try TestClient.run(configuration) { client in
      let text = try await client.upgrade { $0.hasSuffix("}") }
      // The first frame is text, not final, and has 30 bytes; the second continues it.
      #expect(text.contains("\r\n\r\n\u{1}\u{1E}{\""))
      #expect(text.contains("\u{FFFD}\u{13}"))
    }
  }
}

extension FakeServer.Configuration {
  /// A server that intervenes at messages of a type.
  static func wrong(
    at type: String,
    _ intervention: @escaping @Sendable (JSONValue) -> Intervention
  ) -> FakeServer.Configuration {
    var configuration = FakeServer.Configuration()
    configuration.interceptor = { step in
      guard case .message(let message, _) = step, message["type"].string == type else {
        return .proceed
      }
      return intervention(message)
    }
    return configuration
  }
}
