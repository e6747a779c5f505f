// SPDX-License-Identifier: MIT

/// A frame to send: a message, a fragment of one, or a control frame (RFC 6455 section 5.2).
public struct Frame: Hashable, Sendable {
  /// Whether the frame is the last of its message; always true for control frames.
  public var isFinal: Bool
  /// What the frame carries.
  public var opcode: Opcode
  /// The payload before masking.
  public var payload: [UInt8]

  /// Makes a frame, by default an unfragmented one.
  public init(isFinal: Bool = true, opcode: Opcode, payload: [UInt8]) {
    self.isFinal = isFinal
    self.opcode = opcode
    self.payload = payload
  }
}
