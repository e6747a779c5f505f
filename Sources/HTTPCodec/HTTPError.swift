// SPDX-License-Identifier: MIT

/// The rule of HTTP/1.1 that the peer violated, or the limit that it exceeded.
public enum HTTPError: Error, Hashable, Sendable {
  /// The first bytes are not those of an HTTP message.
  case notHTTP
  /// The version is not HTTP/1.0 or a later HTTP/1 version.
  case unsupportedVersion
  /// The status line is not a version, a status and a reason (RFC 9112 section 4).
  case malformedStatusLine
  /// The request line is not a method, a target and a version (RFC 9112 section 3).
  case malformedRequestLine
  case headTooLarge
  /// The head or the trailers have too many field lines.
  case tooManyHeaders
  /// A header line without a colon (RFC 9112 section 5).
  case headerWithoutColon
  /// Whitespace separates a header's name from its colon (RFC 9112 section 5.1).
  case spaceBeforeColon
  /// A header's name is empty or not a token (RFC 9110 section 5.1).
  case invalidHeaderName
  /// A header's value contains a control character (RFC 9110 section 5.5).
  case invalidHeaderValue
  /// A header continues on the next line (RFC 9112 section 5.2).
  case obsoleteFolding
  case tooManyInterimResponses
  /// Content-Length is not a number (RFC 9110 section 8.6).
  case invalidContentLength
  /// Content-Length occurs with different numbers (RFC 9112 section 6.3).
  case conflictingContentLengths
  /// Transfer-Encoding is not `chunked` or the version is not HTTP/1.1 (RFC 9112 section 6.1).
  case unsupportedTransferEncoding
  /// Both Content-Length and Transfer-Encoding are present (RFC 9112 section 6.3).
  case contentLengthWithTransferEncoding
  /// A chunk does not begin with a line that has a hexadecimal size (RFC 9112 section 7.1).
  case invalidChunkSize
  case chunkLineTooLong
  /// A chunk does not end where its size requires (RFC 9112 section 7.1).
  case missingChunkEnd
  case trailersTooLarge
  case bodyTooLarge
  /// The stream ended within a message (RFC 9112 section 8).
  case truncated
}

extension HTTPError: CustomStringConvertible {
  /// A short description in lower case, without bytes of the peer.
  public var description: String {
    switch self {
    case .notHTTP: "not an HTTP message"
    case .unsupportedVersion: "unsupported HTTP version"
    case .malformedStatusLine: "malformed status line"
    case .malformedRequestLine: "malformed request line"
    case .headTooLarge: "the headers are too large"
    case .tooManyHeaders: "too many headers"
    case .headerWithoutColon: "header without a colon"
    case .spaceBeforeColon: "space before the colon of a header"
    case .invalidHeaderName: "invalid header name"
    case .invalidHeaderValue: "control character in a header value"
    case .obsoleteFolding: "header folded over several lines"
    case .tooManyInterimResponses: "too many interim responses"
    case .invalidContentLength: "invalid Content-Length"
    case .conflictingContentLengths: "conflicting Content-Length headers"
    case .unsupportedTransferEncoding: "unsupported Transfer-Encoding"
    case .contentLengthWithTransferEncoding: "both Content-Length and Transfer-Encoding"
    case .invalidChunkSize: "invalid chunk size"
    case .chunkLineTooLong: "chunk size line is too long"
    case .missingChunkEnd: "chunk data does not match its size"
    case .trailersTooLarge: "the trailers are too large"
    case .bodyTooLarge: "the body is too large"
    case .truncated: "unexpected end of the message"
    }
  }
}

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

/// The limits of a parser.
public struct HTTPLimits: Hashable, Sendable {
  /// The maximum size of the head in bytes: first line, header lines and their line ends.
  public var headBytes: Int
  /// The maximum number of header lines in a head, and of trailer lines.
  public var headerLines: Int
  /// The maximum number of interim (1xx) responses before the final one.
  public var interimResponses: Int
  /// The maximum length of a chunk-size line in bytes, including extensions.
  public var chunkLineBytes: Int
  /// The maximum size of the trailer section in bytes.
  public var trailerBytes: Int
  /// The maximum size of the body in bytes, without chunking.
  public var bodyBytes: Int

  /// Creates limits; the defaults are far above any legitimate response.
  public init(
    headBytes: Int = 64 << 10,
    headerLines: Int = 128,
    interimResponses: Int = 10,
    chunkLineBytes: Int = 4 << 10,
    trailerBytes: Int = 16 << 10,
    bodyBytes: Int = 64 << 20
  ) {
    self.headBytes = headBytes
    self.headerLines = headerLines
    self.interimResponses = interimResponses
    self.chunkLineBytes = chunkLineBytes
    self.trailerBytes = trailerBytes
    self.bodyBytes = bodyBytes
  }
}
