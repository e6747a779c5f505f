// SPDX-License-Identifier: MIT

/// A frame to send: a message, a fragment of one, or a control frame (RFC 6455 section 5.2).
public struct Frame: Hashable, Sendable {
  /// Whether this is the last frame of its message; always true for control frames.
  public var isFinal: Bool
  /// The type of the frame.
  public var opcode: Opcode
  /// The unmasked payload.
  public var payload: [UInt8]

  /// Creates a frame, unfragmented by default.
  public init(isFinal: Bool = true, opcode: Opcode, payload: [UInt8]) {
    self.isFinal = isFinal
    self.opcode = opcode
    self.payload = payload
  }
}
