// SPDX-License-Identifier: MIT

/// What a frame carries, as the four-bit number of RFC 6455 section 5.2.
///
/// Numbers the RFC reserves are kept as they are; `isReserved` tells them apart.
public struct Opcode: RawRepresentable, Hashable, Sendable {
  /// The number on the wire, 0 to 15.
  public let rawValue: UInt8

  /// Makes an opcode of the low four bits of a number.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue & 0x0F
  }

  /// A further fragment of the message under way, 0x0.
  public static let continuation = Opcode(rawValue: 0x0)
  /// A message of UTF-8 text, or its first fragment, 0x1.
  public static let text = Opcode(rawValue: 0x1)
  /// A message of bytes, or its first fragment, 0x2.
  public static let binary = Opcode(rawValue: 0x2)
  /// The last frame of a side, 0x8.
  public static let close = Opcode(rawValue: 0x8)
  /// A question whether the other side is alive, 0x9.
  public static let ping = Opcode(rawValue: 0x9)
  /// The answer to a ping, 0xA.
  public static let pong = Opcode(rawValue: 0xA)

  /// Whether the frame speaks about the connection and may come between fragments.
  public var isControl: Bool { rawValue & 0x8 != 0 }

  /// Whether RFC 6455 leaves the number without a meaning.
  public var isReserved: Bool { 0x3...0x7 ~= rawValue || 0xB...0xF ~= rawValue }
}
