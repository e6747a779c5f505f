// SPDX-License-Identifier: MIT

import HTTPCodec
import Testing

@Suite("HTTPError and HTTPEncodingError")
struct HTTPErrorTests {
  @Test(
    "each error has a message",
    arguments: [
      (.notHTTP, "the other side does not speak http"),
      (.unsupportedVersion, "unsupported http version"),
      (.malformedStatusLine, "malformed status line"),
      (.malformedRequestLine, "malformed request line"),
      (.headTooLarge, "the head is too large"),
      (.tooManyHeaders, "too many headers"),
      (.headerWithoutColon, "header without a colon"),
      (.spaceBeforeColon, "space before the colon of a header"),
      (.invalidHeaderName, "invalid header name"),
      (.invalidHeaderValue, "control character in a header value"),
      (.obsoleteFolding, "header over several lines"),
      (.tooManyInterimResponses, "too many interim answers"),
      (.invalidContentLength, "invalid content length"),
      (.conflictingContentLengths, "conflicting content lengths"),
      (.unsupportedTransferEncoding, "unsupported transfer encoding"),
      (.contentLengthWithTransferEncoding, "content length next to transfer encoding"),
      (.invalidChunkSize, "invalid chunk size"),
      (.chunkLineTooLong, "the size line of a chunk is too long"),
      (.missingChunkEnd, "a chunk does not end where it should"),
      (.trailersTooLarge, "the trailers are too large"),
      (.bodyTooLarge, "the body is too large"),
      (.truncated, "the message ended too early"),
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
      (.framingHeader, "the length of a body cannot be set as a header"),
      (.invalidStatus, "invalid status"),
      (.invalidReason, "control character in the reason"),
      (.bodyNotAllowed, "this status has no body"),
    ] as [(HTTPEncodingError, String)]
  )
  func encodingWords(error: HTTPEncodingError, text: String) {
    #expect(error.description == text)
  }
}
