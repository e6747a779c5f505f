// SPDX-License-Identifier: MIT

/// Encodes frames, masked if the sender is a client (RFC 6455 section 5.2).
public struct FrameEncoder: Sendable {
  private let role: Role

  /// Creates an encoder for frames sent by `role`.
  public init(role: Role) {
    self.role = role
  }

  /// Appends a frame to `output`.
  ///
  /// Draws a new masking key for a client's frame, and nothing for a server's.
  public func encode(
    _ frame: Frame,
    into output: inout [UInt8],
    using generator: inout some RandomNumberGenerator
  ) {
    let masked: UInt8 = role == .client ? 0x80 : 0
    output.append((frame.isFinal ? 0x80 : 0) | frame.opcode.rawValue)
    switch frame.payload.count {
    case let length where length <= 125:
      output.append(masked | UInt8(length))
    case let length where length <= UInt16.max:
      output.append(masked | 126)
      output += UInt16(length).bigEndianBytes
    case let length:
      output.append(masked | 127)
      output += UInt64(length).bigEndianBytes
    }
    switch role {
    case .client:
      let key = MaskingKey(using: &generator)
      output += key.rawValue.bigEndianBytes
      let start = output.count
      output.append(contentsOf: frame.payload)
      key.apply(to: &output, in: start..<output.count)
    case .server:
      output.append(contentsOf: frame.payload)
    }
  }
}

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
