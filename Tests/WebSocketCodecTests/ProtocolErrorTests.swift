// SPDX-License-Identifier: MIT

import Testing
import WebSocketCodec

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
