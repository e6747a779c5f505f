// SPDX-License-Identifier: MIT

import TestSupport
import Testing
import WebSocketCodec

@Suite("WebSocketConnection, protocol errors")
struct WebSocketConnectionFailureTests {
  private var generator = SeededGenerator(seed: 4)

  struct Case: Identifiable, Sendable {
    let id: ProtocolError
    var role = Role.client
    let bytes: [UInt8]
  }

  @Test(
    "a protocol error sends its close frame and ends the connection",
    arguments: [
      Case(id: .reservedBits, bytes: [0xC1, 0x00]),
      Case(id: .reservedOpcode, bytes: [0x83, 0x00]),
      Case(id: .maskedByServer, bytes: [0x81, 0x80, 1, 2, 3, 4]),
      Case(id: .unmaskedByClient, role: .server, bytes: [0x81, 0x00]),
      Case(id: .controlTooLong, bytes: [0x89, 126, 0, 126]),
      Case(id: .controlFragmented, bytes: [0x09, 0x00]),
      Case(id: .lengthNotMinimal, bytes: [0x81, 126, 0, 5]),
      Case(id: .lengthTopBitSet, bytes: [0x81, 127, 0xFF, 0, 0, 0, 0, 0, 0, 0]),
      Case(id: .frameTooLarge(length: 1 << 62), bytes: [0x81, 127, 0x40, 0, 0, 0, 0, 0, 0, 0]),
      Case(id: .frameTooLarge(length: 101), bytes: [0x81, 101]),
      Case(
        id: .messageTooLarge,
        bytes: [0x02, 60] + [UInt8](repeating: 0, count: 60) + [0x80, 91]
      ),
      Case(id: .unexpectedContinuation, bytes: [0x80, 0x00]),
      Case(id: .interleavedMessage, bytes: [0x01, 0x00, 0x81, 0x00]),
      Case(id: .invalidUTF8, bytes: [0x81, 0x02, 0xC3, 0x28]),
      Case(id: .invalidUTF8, bytes: [0x81, 0x03, 0xED, 0xA0, 0x80]),
      Case(id: .invalidUTF8, bytes: [0x81, 0x02, 0xC0, 0xAF]),
      Case(id: .invalidUTF8, bytes: [0x88, 0x03, 0x03, 0xE8, 0xFF]),
      Case(id: .invalidClosePayload, bytes: [0x88, 0x01, 0x03]),
      Case(id: .invalidCloseCode, bytes: [0x88, 0x02, 0x03, 0xED]),
    ]
  )
  mutating func closes(row: Case) throws {
    let limits = WebSocketLimits(maxFrame: 100, maxMessage: 150)
    var connection = WebSocketConnection(role: row.role, limits: limits)
    #expect(throws: row.id) { try connection.events(from: row.bytes) }
    #expect(connection.state == .failed(row.id))
    var reader = FrameReader(role: row.role.opposite)
    let answer = Frame.close(row.id.closeCode.rawValue, row.id.description)
    #expect(try reader.read(connection.takeOutbound()) == [answer])
  }

  @Test("nothing is received or sent after an error")
  mutating func nothingAfter() {
    var connection = WebSocketConnection(role: .client)
    #expect(throws: ProtocolError.reservedBits) { try connection.events(from: [0xF1]) }
    _ = connection.takeOutbound()
    #expect(throws: ProtocolError.reservedBits) {
      try connection.events(from: wire([.text("Hello")], from: .server))
    }
    let attempts = [
      connection.send(text: "Hello", using: &generator),
      connection.close(using: &generator),
    ]
    #expect(attempts == [false, false])
    #expect(connection.outbound == [])
  }

  @Test("messages before an error are delivered")
  mutating func before() throws {
    var connection = WebSocketConnection(role: .client)
    connection.receive(wire([.text("good")], from: .server) + [0xF1])
    #expect(try connection.next(using: &generator) == .text(Array("good".utf8)))
    #expect(throws: ProtocolError.reservedBits) { try connection.next(using: &generator) }
  }

  @Test("invalid text is rejected at its first invalid byte, before the frame is complete")
  func failsFast() {
    var connection = WebSocketConnection(role: .client)
    #expect(throws: ProtocolError.invalidUTF8) {
      try connection.events(from: [0x01, 126, 0x10, 0x00, 0x41, 0xFF])
    }
  }

  @Test(
    "a damaged stream ends the same way at any cut",
    arguments: 1...100 as ClosedRange<UInt64>
  )
  mutating func damage(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    let frames: [Frame] = [
      .text("κόσμε", isFinal: false), Frame(opcode: .ping, payload: [7]), .continuation("!"),
      Frame(opcode: .binary, payload: generator.bytes(200)), .close(1000, "bye"),
    ]
    var bytes = wire(frames, from: .server)
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let index = bytes.indices.randomElement(using: &generator) ?? 0
      bytes[index] = .random(in: .min ... .max, using: &generator)
    }
    let whole = outcome(of: bytes, inPiecesOf: .max)
    for size in [1, 3, 50] { #expect(outcome(of: bytes, inPiecesOf: size) == whole) }
  }

  private struct Outcome: Equatable {
    var events: [WebSocketConnection.Event] = []
    var state = WebSocketConnection.State.open
  }

  /// The events before the end or the first error, and the state after it.
  private func outcome(of bytes: [UInt8], inPiecesOf size: Int) -> Outcome {
    var connection = WebSocketConnection(role: .client)
    var generator = SeededGenerator(seed: 1)
    var outcome = Outcome()
    var rest = bytes[...]
    while !rest.isEmpty {
      connection.receive(rest.prefix(size))
      rest = rest.dropFirst(size)
      while let event = try? connection.next(using: &generator) { outcome.events.append(event) }
    }
    outcome.state = connection.state
    return outcome
  }
}
