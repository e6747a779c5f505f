// SPDX-License-Identifier: MIT

/// The rule of HTTP/1.1 that the peer violated, or the limit that it exceeded.
package enum HTTPError: String, Error, CustomStringConvertible {
  /// The first bytes are not those of an HTTP message.
  case notHTTP = "not an HTTP message"
  /// The version is not HTTP/1.0 or a later HTTP/1 version.
  case unsupportedVersion = "unsupported HTTP version"
  /// The status line is not a version, a status and a reason (RFC 9112 section 4).
  case malformedStatusLine = "malformed status line"
  /// The request line is not a method, a target and a version (RFC 9112 section 3).
  case malformedRequestLine = "malformed request line"
  case headTooLarge = "the headers are too large"
  /// The head or the trailers have too many field lines.
  case tooManyHeaders = "too many headers"
  /// A header line without a colon (RFC 9112 section 5).
  case headerWithoutColon = "header without a colon"
  /// Whitespace separates a header's name from its colon (RFC 9112 section 5.1).
  case spaceBeforeColon = "space before the colon of a header"
  /// A header's name is empty or not a token (RFC 9110 section 5.1).
  case invalidHeaderName = "invalid header name"
  /// A header's value contains a control character (RFC 9110 section 5.5).
  case invalidHeaderValue = "control character in a header value"
  /// A header continues on the next line (RFC 9112 section 5.2).
  case obsoleteFolding = "header folded over several lines"
  case tooManyInterimResponses = "too many interim responses"
  /// Content-Length is not a number (RFC 9110 section 8.6).
  case invalidContentLength = "invalid Content-Length"
  /// Content-Length occurs with different numbers (RFC 9112 section 6.3).
  case conflictingContentLengths = "conflicting Content-Length headers"
  /// Transfer-Encoding is not `chunked` or the version is not HTTP/1.1 (RFC 9112 section 6.1).
  case unsupportedTransferEncoding = "unsupported Transfer-Encoding"
  /// Both Content-Length and Transfer-Encoding are present (RFC 9112 section 6.3).
  case contentLengthWithTransferEncoding = "both Content-Length and Transfer-Encoding"
  /// A chunk does not begin with a line that has a hexadecimal size (RFC 9112 section 7.1).
  case invalidChunkSize = "invalid chunk size"
  case chunkLineTooLong = "chunk size line is too long"
  /// A chunk does not end where its size requires (RFC 9112 section 7.1).
  case missingChunkEnd = "chunk data does not match its size"
  case trailersTooLarge = "the trailers are too large"
  case bodyTooLarge = "the body is too large"
  /// The stream ended within a message (RFC 9112 section 8).
  case truncated = "unexpected end of the message"

  /// In lower case, without bytes of the peer.
  package var description: String { rawValue }
}

/// The reason why a message cannot be encoded without changing its meaning.
package enum HTTPEncodingError: String, Error, CustomStringConvertible {
  /// The method is not a token (RFC 9110 section 9.1).
  case invalidMethod = "invalid request method"
  /// The target is not a path that begins with a single slash or, for CONNECT, a host and a port
  /// (RFC 9112 section 3.2), or it contains a character that must be percent-encoded.
  case invalidTarget = "invalid request target"
  /// A header name is not a token (RFC 9110 section 5.1).
  case invalidHeaderName = "invalid header name"
  /// A header value contains a control character (RFC 9110 section 5.5).
  case invalidHeaderValue = "control character in a header value"
  /// The headers contain Content-Length or Transfer-Encoding, which the codec writes itself.
  case framingHeader = "Content-Length and Transfer-Encoding cannot be set"
  /// The status is not between 100 and 999.
  case invalidStatus = "invalid status"
  /// The reason contains a control character.
  case invalidReason = "control character in the reason"
  /// A status without a body has one (RFC 9110 section 6.4.1).
  case bodyNotAllowed = "a response with this status has no body"

  /// In lower case.
  package var description: String { rawValue }
}

/// The limits of a parser; the defaults are far above any legitimate response.
package struct HTTPLimits: Sendable {
  /// The maximum size of the head in bytes: first line, header lines and their line ends.
  package var headBytes = 64 << 10
  /// The maximum number of header lines in a head, and of trailer lines.
  package var headerLines = 128
  /// The maximum number of interim (1xx) responses before the final one.
  package var interimResponses = 10
  /// The maximum length of a chunk-size line in bytes, including extensions.
  package var chunkLineBytes = 4 << 10
  /// The maximum size of the trailer section in bytes.
  package var trailerBytes = 16 << 10
  /// The maximum size of the body in bytes, without chunking.
  package var bodyBytes: Int

  package init(bodyBytes: Int = 64 << 20) {
    self.bodyBytes = bodyBytes
  }
}
