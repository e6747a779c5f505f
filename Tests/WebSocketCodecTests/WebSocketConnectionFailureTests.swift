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
    "a protocol error ends the connection with its close frame, at the byte that causes it",
    arguments: [
      Case(id: .reservedBits, bytes: [0xC1]),
      Case(id: .reservedBits, bytes: [0xA1]),
      Case(id: .reservedBits, bytes: [0x91]),
      Case(id: .controlFragmented, bytes: [0x08]),
      Case(id: .controlFragmented, bytes: [0x09]),
      Case(id: .controlFragmented, bytes: [0x0A]),
      Case(id: .controlTooLong, bytes: [0x89, 126]),
      Case(id: .controlTooLong, bytes: [0x88, 127]),
      Case(id: .controlTooLong, bytes: [0x8A, 126]),
      Case(id: .maskedByServer, bytes: [0x81, 0x80]),
      Case(id: .maskedByServer, bytes: [0x89, 0x80]),
      Case(id: .unmaskedByClient, role: .server, bytes: [0x81, 0x00]),
      Case(id: .lengthNotMinimal, bytes: [0x82, 126, 0x00, 0x7D]),
      Case(id: .lengthNotMinimal, bytes: [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]),
      Case(id: .lengthTopBitSet, bytes: [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]),
      Case(id: .frameTooLarge(length: 1 << 62), bytes: [0x82, 127, 0x40, 0, 0, 0, 0, 0, 0, 0]),
      Case(
        id: .frameTooLarge(length: (1 << 63) - 1),
        bytes: [0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
      ),
      Case(
        id: .frameTooLarge(length: (1 << 20) + 1),
        role: .server,
        bytes: [0x82, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 1]
      ),
      Case(id: .frameTooLarge(length: 151), bytes: [0x81, 126, 0, 151]),
      Case(
        id: .messageTooLarge,
        bytes: [0x02, 60] + [UInt8](repeating: 0, count: 60) + [0x80, 91]
      ),
      Case(id: .unexpectedContinuation, bytes: [0x80, 0x00]),
      Case(id: .interleavedMessage, bytes: [0x01, 0x00, 0x81, 0x00]),
      Case(id: .interleavedMessage, bytes: [0x01, 0x00, 0x82, 0x00]),
      Case(id: .invalidUTF8, bytes: [0x81, 0x02, 0xC3, 0x28]),
      Case(id: .invalidUTF8, bytes: [0x81, 0x03, 0xED, 0xA0]),
      Case(id: .invalidUTF8, bytes: [0x81, 0x02, 0xC0]),
      Case(id: .invalidUTF8, bytes: [0x81, 0x02, 0xE2, 0x82]),
      Case(id: .invalidUTF8, bytes: [0x01, 0x01, 0xE2, 0x80, 0x01, 0x78]),
      Case(id: .invalidUTF8, bytes: [0x01, 126, 0x00, 0x90, 0x41, 0xFF]),
      Case(id: .invalidUTF8, bytes: [0x88, 0x03, 0x03, 0xE8, 0xFF]),
      Case(id: .invalidClosePayload, bytes: [0x88, 0x01, 0x03]),
      Case(id: .invalidCloseCode, bytes: [0x88, 0x02, 0x03, 0xED]),
    ] + [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map { Case(id: .reservedOpcode, bytes: [0x80 | $0]) }
  )
  func closes(row: Case) throws {
    var connection = WebSocketConnection(role: row.role, maxMessage: 150)
    #expect(try connection.events(from: row.bytes.dropLast()) == [])
    #expect(throws: row.id) { try connection.events(from: row.bytes.suffix(1)) }
    #expect(connection.state == .failed(row.id))
    var peer = WebSocketConnection(role: row.role.opposite)
    let answer = WebSocketConnection.Event.closed(row.id.closeCode, reason: row.id.description)
    #expect(try peer.events(from: connection.takeOutbound()) == [answer])
  }

  @Test("an error has the close code of its kind")
  func codes() {
    #expect(ProtocolError.reservedBits.closeCode == .protocolError)
    #expect(ProtocolError.frameTooLarge(length: 1).closeCode == .messageTooBig)
    #expect(ProtocolError.messageTooLarge.closeCode == .messageTooBig)
    #expect(ProtocolError.invalidUTF8.closeCode == .invalidPayload)
  }

  @Test("nothing is received or sent after an error")
  mutating func nothingAfter() {
    var connection = WebSocketConnection(role: .client)
    #expect(throws: ProtocolError.reservedBits) { try connection.events(from: [0xF1]) }
    _ = connection.takeOutbound()
    #expect(throws: ProtocolError.reservedBits) {
      try connection.events(from: wire([.text("Hello")], from: .server))
    }
    let isSent = connection.send(text: "Hello", using: &generator)
    connection.close(using: &generator)
    #expect(!isSent)
    #expect(connection.outbound == [])
  }

  @Test("messages before an error are delivered")
  mutating func before() throws {
    var connection = WebSocketConnection(role: .client)
    let frames: [Frame] = [.text("go", isFinal: false), .continuation("od"), .continuation("x")]
    connection.receive(wire(frames, from: .server))
    #expect(try connection.next(using: &generator) == .text(Array("good".utf8)))
    #expect(throws: ProtocolError.unexpectedContinuation) {
      try connection.next(using: &generator)
    }
  }
}
