// SPDX-License-Identifier: MIT

/// The encoded frames that wait to be sent.
///
/// A flood of pings cannot make it grow without bound: beyond some pongs only the latest waits,
/// as RFC 6455 section 5.5.3 allows.
struct FrameQueue: Sendable {
  /// How many pongs wait before the last of them gives way to the next.
  static let maxPongs = 64

  private(set) var bytes: [UInt8] = []
  private let encoder: FrameEncoder
  private var pongs = 0
  /// Where the last frame begins if it is a pong.
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
