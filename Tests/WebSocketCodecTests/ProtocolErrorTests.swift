// SPDX-License-Identifier: MIT

import Testing

@testable import WebSocketCodec

@Suite("ProtocolError")
struct ProtocolErrorTests {
  struct Row: Identifiable, Sendable {
    let id: ProtocolError
    let code: CloseCode
    let text: String

    init(_ id: ProtocolError, _ code: CloseCode, _ text: String) {
      self.id = id
      self.code = code
      self.text = text
    }
  }

  @Test(
    "each error has a close code and a message",
    arguments: [
      Row(.reservedBits, .protocolError, "reserved bits are set"),
      Row(.reservedOpcode, .protocolError, "reserved opcode"),
      Row(.maskedByServer, .protocolError, "the server masked a frame"),
      Row(.unmaskedByClient, .protocolError, "the client did not mask a frame"),
      Row(.controlTooLong, .protocolError, "control frame is longer than 125 bytes"),
      Row(.controlFragmented, .protocolError, "fragmented control frame"),
      Row(.lengthNotMinimal, .protocolError, "frame length is not minimal"),
      Row(.lengthTopBitSet, .protocolError, "frame length exceeds 63 bits"),
      Row(
        .frameTooLarge(length: 1 << 62),
        .messageTooBig,
        "frame of 4611686018427387904 bytes is too large"
      ),
      Row(.messageTooLarge, .messageTooBig, "message is too large"),
      Row(.unexpectedContinuation, .protocolError, "continuation frame without a message"),
      Row(.interleavedMessage, .protocolError, "new message before the end of the previous one"),
      Row(.invalidUTF8, .invalidPayload, "text is not UTF-8"),
      Row(.invalidClosePayload, .protocolError, "close frame with a payload of 1 byte"),
      Row(.invalidCloseCode, .protocolError, "invalid close code"),
      Row(.dataAfterClose, .protocolError, "data after the close frame"),
    ]
  )
  func rows(row: Row) {
    #expect(row.id.closeCode == row.code)
    #expect(row.id.description == row.text)
  }
}

@Suite("CloseCode")
struct CloseCodeTests {
  @Test(
    "registered codes and the ranges for libraries and private use may be sent",
    arguments: [1000, 1001, 1002, 1003, 1007, 1011, 1012, 1014, 3000, 3999, 4000, 4999]
  )
  func sendable(code: UInt16) {
    #expect(CloseCode(rawValue: code).mayAppearOnWire)
  }

  @Test(
    "reserved codes and numbers outside the ranges may not be sent",
    arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535]
  )
  func unsendable(code: UInt16) {
    #expect(!CloseCode(rawValue: code).mayAppearOnWire)
  }

  @Test("a code without a name keeps its number")
  func unknown() {
    #expect(CloseCode(rawValue: 4321).rawValue == 4321)
  }
}

@Suite("ClosePayload")
struct ClosePayloadTests {
  @Test("a code and a reason survive encoding and parsing")
  func roundTrip() throws {
    let payload = ClosePayload(code: .goingAway, reason: "Server shutting down")
    #expect(payload.bytes.prefix(2) == [0x03, 0xE9])
    #expect(try ClosePayload(parsing: payload.bytes) == payload)
  }

  @Test("a payload without a code is empty, and an empty payload has no code")
  func noCode() throws {
    #expect(ClosePayload(code: nil, reason: "lost").bytes == [])
    #expect(try ClosePayload(parsing: []) == ClosePayload(code: nil))
  }

  @Test("a reason is cut to 123 bytes between two characters")
  func longReason() {
    let payload = ClosePayload(code: .normalClosure, reason: String(repeating: "ä", count: 100))
    #expect(payload.reason == String(repeating: "ä", count: 61))
    #expect(payload.bytes.count == 124)
  }

  @Test(
    "an invalid payload is rejected with its error",
    arguments: [
      ([0x03], .invalidClosePayload),
      ([0x03, 0xEE], .invalidCloseCode),
      ([0x00, 0x00, 0x41], .invalidCloseCode),
      ([0x03, 0xE8, 0xFF], .invalidUTF8),
    ] as [([UInt8], ProtocolError)]
  )
  func refused(bytes: [UInt8], error: ProtocolError) {
    #expect(throws: error) { try ClosePayload(parsing: bytes) }
  }
}
