// SPDX-License-Identifier: MIT

/// The code for closing a connection (RFC 6455 section 7.4).
///
/// Codes without a constant here are kept.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
  /// The code as sent.
  public let rawValue: UInt16

  /// Creates a close code from any number; see `mayAppearOnWire`.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The connection has fulfilled its purpose, 1000.
  public static let normalClosure = CloseCode(rawValue: 1000)
  /// The endpoint is going away, such as a server that shuts down, 1001.
  public static let goingAway = CloseCode(rawValue: 1001)
  /// The peer violated the protocol, 1002.
  public static let protocolError = CloseCode(rawValue: 1002)
  /// The endpoint does not accept this type of data, 1003.
  public static let unsupportedData = CloseCode(rawValue: 1003)
  /// A message contains data that does not match its type, such as text that is not UTF-8, 1007.
  public static let invalidPayload = CloseCode(rawValue: 1007)
  /// A message exceeds the endpoint's limit, 1009.
  public static let messageTooBig = CloseCode(rawValue: 1009)

  /// Whether a close frame may contain this code.
  ///
  /// Allowed are the registered codes that are not reserved for local use, and the ranges for
  /// libraries (3000 to 3999) and private use (4000 to 4999).
  public var mayAppearOnWire: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
