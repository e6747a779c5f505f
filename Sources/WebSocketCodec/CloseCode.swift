// SPDX-License-Identifier: MIT

/// Why a connection was closed, as the number of RFC 6455 section 7.4.
///
/// Numbers without a name here are kept as they are.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: UInt16

  /// Makes a close code of any number; `mayAppearOnWire` judges it.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The purpose of the connection is fulfilled, 1000.
  public static let normalClosure = CloseCode(rawValue: 1000)
  /// The side is going away, such as a server that shuts down, 1001.
  public static let goingAway = CloseCode(rawValue: 1001)
  /// The other side broke the protocol, 1002.
  public static let protocolError = CloseCode(rawValue: 1002)
  /// The side cannot accept this kind of data, 1003.
  public static let unsupportedData = CloseCode(rawValue: 1003)
  /// A message held data that does not fit its type, such as text that is not UTF-8, 1007.
  public static let invalidPayload = CloseCode(rawValue: 1007)
  /// A message is larger than the side accepts, 1009.
  public static let messageTooBig = CloseCode(rawValue: 1009)

  /// Whether a close frame may hold this code.
  ///
  /// It may hold the registered codes that are not marked as never sent, and the ranges for
  /// libraries (3000 to 3999) and private use (4000 to 4999).
  public var mayAppearOnWire: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
