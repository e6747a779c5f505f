// SPDX-License-Identifier: MIT

/// What a connection accepts from the other side.
public struct WebSocketLimits: Hashable, Sendable {
  /// The largest payload of one frame, in bytes.
  public var maxFrame: Int
  /// The largest message over all its fragments, in bytes.
  public var maxMessage: Int

  /// Makes limits, by default 64 MiB for both.
  public init(maxFrame: Int = 64 << 20, maxMessage: Int = 64 << 20) {
    self.maxFrame = maxFrame
    self.maxMessage = maxMessage
  }
}
