// SPDX-License-Identifier: MIT

/// The rule of HTTP/1.1 that the other side broke, or the limit it went over.
public enum HTTPError: Error, Hashable, Sendable {
  /// The first bytes are not those of an HTTP message.
  case notHTTP
  /// The version is not HTTP/1.0 or a later HTTP/1.
  case unsupportedVersion
  /// The status line is not a version, a status and a reason (RFC 9112 section 4).
  case malformedStatusLine
  /// The request line is not a method, a target and a version (RFC 9112 section 3).
  case malformedRequestLine
  /// The head is larger than the limit.
  case headTooLarge
  /// The head or the trailers have more lines than the limit.
  case tooManyHeaders
  /// A header line has no colon (RFC 9112 section 5).
  case headerWithoutColon
  /// There is space between a header's name and its colon (RFC 9112 section 5.1).
  case spaceBeforeColon
  /// A header's name is empty or not a token (RFC 9110 section 5.1).
  case invalidHeaderName
  /// A header's value holds a control character (RFC 9110 section 5.5).
  case invalidHeaderValue
  /// A header goes on in the next line (RFC 9112 section 5.2).
  case obsoleteFolding
  /// More interim answers came than the limit.
  case tooManyInterimResponses
  /// Content-Length is not a number (RFC 9110 section 8.6).
  case invalidContentLength
  /// Content-Length is given more than once, with different numbers (RFC 9112 section 6.3).
  case conflictingContentLengths
  /// Transfer-Encoding is anything but `chunked` in an HTTP/1.1 message (RFC 9112 section 6.1).
  case unsupportedTransferEncoding
  /// Content-Length and Transfer-Encoding are both given (RFC 9112 section 6.3).
  case contentLengthWithTransferEncoding
  /// A chunk does not begin with a hexadecimal size on a line of its own (RFC 9112 section 7.1).
  case invalidChunkSize
  /// A chunk's size line is longer than the limit.
  case chunkLineTooLong
  /// A chunk does not end where its size says (RFC 9112 section 7.1).
  case missingChunkEnd
  /// The trailers are larger than the limit.
  case trailersTooLarge
  /// The body is larger than the limit.
  case bodyTooLarge
  /// The stream ended inside a message (RFC 9112 section 8).
  case truncated
}

extension HTTPError: CustomStringConvertible {
  /// A few lower-case words about the rule, without bytes of the other side.
  public var description: String {
    switch self {
    case .notHTTP: "the other side does not speak http"
    case .unsupportedVersion: "unsupported http version"
    case .malformedStatusLine: "malformed status line"
    case .malformedRequestLine: "malformed request line"
    case .headTooLarge: "the head is too large"
    case .tooManyHeaders: "too many headers"
    case .headerWithoutColon: "header without a colon"
    case .spaceBeforeColon: "space before the colon of a header"
    case .invalidHeaderName: "invalid header name"
    case .invalidHeaderValue: "control character in a header value"
    case .obsoleteFolding: "header over several lines"
    case .tooManyInterimResponses: "too many interim answers"
    case .invalidContentLength: "invalid content length"
    case .conflictingContentLengths: "conflicting content lengths"
    case .unsupportedTransferEncoding: "unsupported transfer encoding"
    case .contentLengthWithTransferEncoding: "content length next to transfer encoding"
    case .invalidChunkSize: "invalid chunk size"
    case .chunkLineTooLong: "the size line of a chunk is too long"
    case .missingChunkEnd: "a chunk does not end where it should"
    case .trailersTooLarge: "the trailers are too large"
    case .bodyTooLarge: "the body is too large"
    case .truncated: "the message ended too early"
    }
  }
}
