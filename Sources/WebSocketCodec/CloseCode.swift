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
  /// The close frame held no code, 1005; never sent.
  public static let noStatusReceived = CloseCode(rawValue: 1005)
  /// The connection ended without a close frame, 1006; never sent.
  public static let abnormalClosure = CloseCode(rawValue: 1006)
  /// A message held data that does not fit its type, such as text that is not UTF-8, 1007.
  public static let invalidPayload = CloseCode(rawValue: 1007)
  /// A message broke a rule of the side, 1008.
  public static let policyViolation = CloseCode(rawValue: 1008)
  /// A message is larger than the side accepts, 1009.
  public static let messageTooBig = CloseCode(rawValue: 1009)
  /// The server did not grant an extension the client needs, 1010.
  public static let mandatoryExtension = CloseCode(rawValue: 1010)
  /// The side met a condition it did not expect, 1011.
  public static let internalError = CloseCode(rawValue: 1011)
  /// The server restarts, 1012 (registered after the RFC, as are the next two).
  public static let serviceRestart = CloseCode(rawValue: 1012)
  /// The server is overloaded, 1013.
  public static let tryAgainLater = CloseCode(rawValue: 1013)
  /// A gateway got a wrong answer from the server behind it, 1014.
  public static let badGateway = CloseCode(rawValue: 1014)
  /// The TLS handshake failed, 1015; never sent.
  public static let tlsHandshake = CloseCode(rawValue: 1015)

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
