// SPDX-License-Identifier: MIT

/// What a frame says about itself before its payload (RFC 6455 section 5.2).
public struct FrameHeader: Hashable, Sendable {
  /// Whether the frame is the last of its message.
  public let isFinal: Bool
  /// What the frame carries.
  public let opcode: Opcode
  /// The key its payload is masked with, nil for a frame of a server.
  public let maskingKey: MaskingKey?
  /// The number of bytes in its payload.
  public let payloadLength: Int

  /// The largest payload of a control frame (RFC 6455 section 5.5).
  static let maxControlPayload = 125
}
