// SPDX-License-Identifier: MIT

import WebSocketCodec

/// Joins a decoder's parts into whole frames.
struct FrameReader {
  private var decoder: FrameDecoder
  private var payload: [UInt8] = []

  init(role: Role, maxFrame: Int = 1 << 20) {
    decoder = FrameDecoder(role: role, maxFrame: maxFrame)
  }

  mutating func read(_ bytes: some Collection<UInt8>) throws -> [Frame] {
    decoder.receive(bytes)
    var frames: [Frame] = []
    while let part = try decoder.next() {
      switch part {
      case .header: payload = []
      case .payload(let bytes, _): payload += bytes
      case .end(let header):
        frames.append(Frame(isFinal: header.isFinal, opcode: header.opcode, payload: payload))
      }
    }
    return frames
  }
}

/// A generator that always returns the same number, for exact masking keys.
struct ConstantGenerator: RandomNumberGenerator {
  let value: UInt64

  func next() -> UInt64 { value }
}
