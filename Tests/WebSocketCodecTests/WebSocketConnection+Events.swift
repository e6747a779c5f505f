// SPDX-License-Identifier: MIT

import TestSupport
import WebSocketCodec

extension WebSocketConnection {
  /// Receives bytes in pieces of a size and returns all events.
  mutating func events(
    from bytes: some Collection<UInt8>,
    inPiecesOf size: Int = .max
  ) throws -> [Event] {
    var generator = SeededGenerator(seed: 1)
    var events: [Event] = []
    var rest = Array(bytes)[...]
    repeat {
      receive(rest.prefix(size))
      rest = rest.dropFirst(size)
      while let event = try next(using: &generator) { events.append(event) }
    } while !rest.isEmpty
    return events
  }
}

/// Encodes frames as the given side sends them.
func wire(_ frames: [Frame], from role: Role) -> [UInt8] {
  var generator = SeededGenerator(seed: 2)
  let encoder = FrameEncoder(role: role)
  var bytes: [UInt8] = []
  for frame in frames { encoder.encode(frame, into: &bytes, using: &generator) }
  return bytes
}

extension Frame {
  static func text(_ text: String, isFinal: Bool = true) -> Frame {
    Frame(isFinal: isFinal, opcode: .text, payload: Array(text.utf8))
  }

  static func continuation(_ text: String, isFinal: Bool = true) -> Frame {
    Frame(isFinal: isFinal, opcode: .continuation, payload: Array(text.utf8))
  }

  static func close(_ code: UInt16, _ reason: String = "") -> Frame {
    Frame(
      opcode: .close,
      payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
    )
  }
}
