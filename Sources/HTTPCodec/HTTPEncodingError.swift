// SPDX-License-Identifier: MIT

/// Why a message cannot be written without changing its meaning.
public enum HTTPEncodingError: Error, Hashable, Sendable {
  /// The method is not a token (RFC 9110 section 9.1).
  case invalidMethod
  /// The target is not a path that begins with one slash or, for CONNECT, a host and a port
  /// (RFC 9112 section 3.2), or holds a character that must be percent-encoded.
  case invalidTarget
  /// A header name is not a token (RFC 9110 section 5.1).
  case invalidHeaderName
  /// A header value holds a control character (RFC 9110 section 5.5).
  case invalidHeaderValue
  /// The headers hold Content-Length or Transfer-Encoding, which the codec itself writes.
  case framingHeader
  /// The status is not a number of three digits from 100.
  case invalidStatus
  /// The reason holds a control character.
  case invalidReason
  /// A status that has no body was given one (RFC 9110 section 6.4.1).
  case bodyNotAllowed
}

extension HTTPEncodingError: CustomStringConvertible {
  /// A few lower-case words about what cannot be written.
  public var description: String {
    switch self {
    case .invalidMethod: "invalid request method"
    case .invalidTarget: "invalid request target"
    case .invalidHeaderName: "invalid header name"
    case .invalidHeaderValue: "control character in a header value"
    case .framingHeader: "the length of a body cannot be set as a header"
    case .invalidStatus: "invalid status"
    case .invalidReason: "control character in the reason"
    case .bodyNotAllowed: "this status has no body"
    }
  }
}
