// SPDX-License-Identifier: MIT

import Testing

@testable import WebSocketCodec

@Suite("CloseCode")
struct CloseCodeTests {
  @Test(
    "registered codes and the ranges for libraries and private use may be sent",
    arguments: [1000, 1001, 1002, 1003] + Array(1007...1014) + [3000, 3999, 4000, 4999]
  )
  func sendable(code: UInt16) {
    #expect(CloseCode(rawValue: code).mayAppearOnWire)
  }

  @Test(
    "reserved codes and numbers outside the ranges may not be sent",
    arguments: [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535]
  )
  func unsendable(code: UInt16) {
    #expect(!CloseCode(rawValue: code).mayAppearOnWire)
  }
}

@Suite("The payload of a close frame")
struct ClosePayloadTests {
  @Test("a code and a reason survive encoding and parsing")
  func roundTrip() throws {
    let payload = CloseCode.goingAway.payload(reason: "Server shutting down")
    #expect(payload.prefix(2) == [0x03, 0xE9])
    let event = try WebSocketConnection.Event.closed(payload: payload)
    #expect(event == .closed(.goingAway, reason: "Server shutting down"))
  }

  @Test("an empty payload has no code")
  func noCode() throws {
    #expect(try WebSocketConnection.Event.closed(payload: []) == .closed(nil, reason: ""))
  }

  @Test("a reason is cut to 123 bytes between two characters")
  func longReason() {
    let payload = CloseCode.normalClosure.payload(reason: String(repeating: "ä", count: 100))
    #expect(payload.dropFirst(2).elementsEqual(String(repeating: "ä", count: 61).utf8))
  }

  @Test("a reason of 123 bytes is sent whole")
  func longestReason() {
    let reason = String(repeating: "x", count: 123)
    let payload = CloseCode.normalClosure.payload(reason: reason)
    #expect(payload.dropFirst(2).elementsEqual(reason.utf8))
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
    #expect(throws: error) { try WebSocketConnection.Event.closed(payload: bytes) }
  }
}
