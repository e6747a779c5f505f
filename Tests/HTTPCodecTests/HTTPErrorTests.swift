// SPDX-License-Identifier: MIT

import HTTPCodec
import Testing

@Suite("HTTPError and HTTPEncodingError")
struct HTTPErrorTests {
  @Test(
    "each error has a message",
    arguments: [
      (.notHTTP, "not an HTTP message"),
      (.unsupportedVersion, "unsupported HTTP version"),
      (.malformedStatusLine, "malformed status line"),
      (.malformedRequestLine, "malformed request line"),
      (.headTooLarge, "the headers are too large"),
      (.tooManyHeaders, "too many headers"),
      (.headerWithoutColon, "header without a colon"),
      (.spaceBeforeColon, "space before the colon of a header"),
      (.invalidHeaderName, "invalid header name"),
      (.invalidHeaderValue, "control character in a header value"),
      (.obsoleteFolding, "header folded over several lines"),
      (.tooManyInterimResponses, "too many interim responses"),
      (.invalidContentLength, "invalid Content-Length"),
      (.conflictingContentLengths, "conflicting Content-Length headers"),
      (.unsupportedTransferEncoding, "unsupported Transfer-Encoding"),
      (.contentLengthWithTransferEncoding, "both Content-Length and Transfer-Encoding"),
      (.invalidChunkSize, "invalid chunk size"),
      (.chunkLineTooLong, "chunk size line is too long"),
      (.missingChunkEnd, "chunk data does not match its size"),
      (.trailersTooLarge, "the trailers are too large"),
      (.bodyTooLarge, "the body is too large"),
      (.truncated, "unexpected end of the message"),
    ] as [(HTTPError, String)]
  )
  func words(error: HTTPError, text: String) {
    #expect(error.description == text)
  }

  @Test(
    "each encoding error has a message",
    arguments: [
      (.invalidMethod, "invalid request method"),
      (.invalidTarget, "invalid request target"),
      (.invalidHeaderName, "invalid header name"),
      (.invalidHeaderValue, "control character in a header value"),
      (.framingHeader, "Content-Length and Transfer-Encoding cannot be set"),
      (.invalidStatus, "invalid status"),
      (.invalidReason, "control character in the reason"),
      (.bodyNotAllowed, "a response with this status has no body"),
    ] as [(HTTPEncodingError, String)]
  )
  func encodingWords(error: HTTPEncodingError, text: String) {
    #expect(error.description == text)
  }
}
