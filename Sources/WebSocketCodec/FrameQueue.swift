// SPDX-License-Identifier: MIT

/// The encoded frames to send.
///
/// Bounds memory against a flood of pings: beyond the limit only the latest pong is kept, as RFC
/// 6455 section 5.5.3 allows.
struct FrameQueue: Sendable {
  /// The number of queued pongs from which each pong replaces the previous one.
  static let maxPongs = 64

  private(set) var bytes: [UInt8] = []
  private let encoder: FrameEncoder
  private var pongs = 0
  /// The offset of the last frame if it is a pong.
  private var lastPong: Int?

  init(role: Role) {
    encoder = FrameEncoder(role: role)
  }

  mutating func append(_ frame: Frame, using generator: inout some RandomNumberGenerator) {
    if frame.opcode == .pong {
      if pongs >= Self.maxPongs, let lastPong {
        bytes.removeSubrange(lastPong...)
      } else {
        pongs += 1
      }
      lastPong = bytes.count
    } else {
      lastPong = nil
    }
    encoder.encode(frame, into: &bytes, using: &generator)
  }

  mutating func take() -> [UInt8] {
    defer {
      bytes = []
      pongs = 0
      lastPong = nil
    }
    return bytes
  }
}
