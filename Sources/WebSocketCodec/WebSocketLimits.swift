// SPDX-License-Identifier: MIT

/// The limits of a connection.
public struct WebSocketLimits: Hashable, Sendable {
  /// The maximum payload of a frame in bytes.
  public var maxFrame: Int
  /// The maximum size of a message over all its fragments, in bytes.
  public var maxMessage: Int

  /// Creates limits, by default 64 MiB for both.
  public init(maxFrame: Int = 64 << 20, maxMessage: Int = 64 << 20) {
    self.maxFrame = maxFrame
    self.maxMessage = maxMessage
  }
}
