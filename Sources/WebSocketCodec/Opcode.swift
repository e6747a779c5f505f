// SPDX-License-Identifier: MIT

/// The type of a frame: the four-bit number of RFC 6455 section 5.2.
///
/// Reserved numbers are kept; see `isReserved`.
public struct Opcode: RawRepresentable, Hashable, Sendable {
  /// The number, 0 to 15.
  public let rawValue: UInt8

  /// Creates an opcode from the low four bits of a number.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue & 0x0F
  }

  /// A further fragment of the current message, 0x0.
  public static let continuation = Opcode(rawValue: 0x0)
  /// A text message in UTF-8, or its first fragment, 0x1.
  public static let text = Opcode(rawValue: 0x1)
  /// A binary message, or its first fragment, 0x2.
  public static let binary = Opcode(rawValue: 0x2)
  /// The last frame that an endpoint sends, 0x8.
  public static let close = Opcode(rawValue: 0x8)
  /// Checks whether the peer is alive, 0x9.
  public static let ping = Opcode(rawValue: 0x9)
  /// The reply to a ping, 0xA.
  public static let pong = Opcode(rawValue: 0xA)

  /// Whether the frame is a control frame, which may occur between fragments.
  public var isControl: Bool { rawValue & 0x8 != 0 }

  /// Whether RFC 6455 reserves the number.
  public var isReserved: Bool { 0x3...0x7 ~= rawValue || 0xB...0xF ~= rawValue }
}
