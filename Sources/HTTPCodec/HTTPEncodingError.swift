// SPDX-License-Identifier: MIT

/// The reason why a message cannot be encoded without changing its meaning.
public enum HTTPEncodingError: Error, Hashable, Sendable {
  /// The method is not a token (RFC 9110 section 9.1).
  case invalidMethod
  /// The target is not a path that begins with a single slash or, for CONNECT, a host and a port
  /// (RFC 9112 section 3.2), or it contains a character that must be percent-encoded.
  case invalidTarget
  /// A header name is not a token (RFC 9110 section 5.1).
  case invalidHeaderName
  /// A header value contains a control character (RFC 9110 section 5.5).
  case invalidHeaderValue
  /// The headers contain Content-Length or Transfer-Encoding, which the codec writes itself.
  case framingHeader
  /// The status is not between 100 and 999.
  case invalidStatus
  /// The reason contains a control character.
  case invalidReason
  /// A status without a body has one (RFC 9110 section 6.4.1).
  case bodyNotAllowed
}

extension HTTPEncodingError: CustomStringConvertible {
  /// A short description in lower case.
  public var description: String {
    switch self {
    case .invalidMethod: "invalid request method"
    case .invalidTarget: "invalid request target"
    case .invalidHeaderName: "invalid header name"
    case .invalidHeaderValue: "control character in a header value"
    case .framingHeader: "Content-Length and Transfer-Encoding cannot be set"
    case .invalidStatus: "invalid status"
    case .invalidReason: "control character in the reason"
    case .bodyNotAllowed: "a response with this status has no body"
    }
  }
}
