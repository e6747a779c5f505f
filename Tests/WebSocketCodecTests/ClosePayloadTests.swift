// SPDX-License-Identifier: MIT

import Testing

@testable import WebSocketCodec

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
