// SPDX-License-Identifier: MIT

/// The payload of a close frame: nothing, or a code and a reason (RFC 6455 section 5.5.1).
struct ClosePayload: Equatable, Sendable {
  let code: CloseCode?
  let reason: String

  /// Creates a payload to send; truncates a reason that does not fit, between two characters.
  ///
  /// Without a code, the reason is omitted.
  init(code: CloseCode?, reason: String = "") {
    self.code = code
    guard code != nil else {
      self.reason = ""
      return
    }
    let room = FrameHeader.maxControlPayload - 2
    var fitting = reason[...]
    while fitting.utf8.count > room { fitting.removeLast() }
    self.reason = String(fitting)
  }

  init(parsing bytes: [UInt8]) throws(ProtocolError) {
    guard !bytes.isEmpty else {
      self.init(code: nil)
      return
    }
    guard bytes.count >= 2 else { throw .invalidClosePayload }
    let code = CloseCode(rawValue: UInt16(bigEndianBytes: bytes[..<2]))
    guard code.mayAppearOnWire else { throw .invalidCloseCode }
    guard let reason = String(validating: bytes[2...], as: UTF8.self) else { throw .invalidUTF8 }
    self.init(code: code, reason: reason)
  }

  var bytes: [UInt8] {
    guard let code else { return [] }
    return code.rawValue.bigEndianBytes + reason.utf8
  }
}
