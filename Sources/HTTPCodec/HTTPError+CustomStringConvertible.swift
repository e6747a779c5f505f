// SPDX-License-Identifier: MIT

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
