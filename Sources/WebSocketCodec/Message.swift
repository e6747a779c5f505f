// SPDX-License-Identifier: MIT

/// A whole message or control frame of the other side.
public enum Message: Hashable, Sendable {
  /// Text, as bytes that are valid UTF-8.
  case text([UInt8])
  /// Bytes.
  case binary([UInt8])
  /// A ping with its payload.
  case ping([UInt8])
  /// A pong with its payload.
  case pong([UInt8])
  /// A close frame with its payload, not yet judged.
  case close([UInt8])
}
