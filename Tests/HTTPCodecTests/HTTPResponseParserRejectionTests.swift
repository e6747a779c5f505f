// SPDX-License-Identifier: MIT

import HTTPCodec
import TestSupport
import Testing

@Suite("HTTPResponseParser, errors")
struct HTTPResponseParserRejectionTests {
  struct Case: Identifiable, Sendable {
    let id: String
    let error: HTTPError
    let bytes: [UInt8]

    init(_ error: HTTPError, _ text: String) {
      self.init(error, Array(text.utf8), id: text)
    }

    init(_ error: HTTPError, _ bytes: [UInt8], id: String) {
      self.id = id
      self.error = error
      self.bytes = bytes
    }

    static func head(_ error: HTTPError, _ header: String) -> Case {
      Case(error, "HTTP/1.1 200 OK\r\n\(header)\r\n\r\n")
    }

    static func chunks(_ error: HTTPError, _ chunks: String) -> Case {
      Case(error, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)")
    }
  }

  private static let first: [Case] = [
    Case(.notHTTP, "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"),
    Case(.notHTTP, [0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46], id: "TLS alert"),
    Case(.notHTTP, "220 mail ESMTP\r\n"),
    Case(.notHTTP, "http/1.1 200 OK\r\n"),
    Case(.notHTTP, "\r\nHTTP/1.1 200 OK\r\n"),
    Case(.notHTTP, "HTTQ"),
    Case(.unsupportedVersion, "HTTP/2 200\r\n"),
    Case(.unsupportedVersion, "HTTP/2.0 200 OK\r\n"),
    Case(.unsupportedVersion, "HTTP/1.10 200 OK\r\n"),
    Case(.unsupportedVersion, "HTTP/1.x 200 OK\r\n"),
    Case(.unsupportedVersion, "HTTP/\r\n"),
    Case(.malformedStatusLine, "HTTP/1.1\r\n"),
    Case(.malformedStatusLine, "HTTP/1.1 \r\n"),
    Case(.malformedStatusLine, "HTTP/1.1  200 OK\r\n"),
    Case(.malformedStatusLine, "HTTP/1.1 20 OK\r\n"),
    Case(.malformedStatusLine, "HTTP/1.1 2000 OK\r\n"),
    Case(.malformedStatusLine, "HTTP/1.1 099 OK\r\n"),
    Case(.malformedStatusLine, "HTTP/1.1 +20 OK\r\n"),
    Case(.malformedStatusLine, "HTTP/1.1 20x OK\r\n"),
    Case(.malformedStatusLine, "HTTP/1.1 200 O\0K\r\n"),
    Case(.malformedStatusLine, "HTTP/1.1 200 O\rK\r\n"),
  ]

  private static let headers: [Case] = [
    .head(.headerWithoutColon, "no colon here"),
    .head(.spaceBeforeColon, "Content-Length : 5"),
    .head(.spaceBeforeColon, "A\t: b"),
    .head(.invalidHeaderName, ": b"),
    .head(.invalidHeaderName, "A B: c"),
    .head(.invalidHeaderName, "A\0: c"),
    .head(.invalidHeaderName, "Ä: c"),
    .head(.invalidHeaderName, "A\r: c"),
    .head(.invalidHeaderValue, "A: b\0c"),
    .head(.invalidHeaderValue, "A: b\rc"),
    .head(.invalidHeaderValue, "A: \u{1B}[2J"),
    .head(.invalidHeaderValue, "A: \u{7F}"),
    .head(.obsoleteFolding, "A: b\r\n c"),
    .head(.obsoleteFolding, "A: b\r\n\tc: d"),
    .head(.obsoleteFolding, " A: b"),
    .head(.invalidContentLength, "Content-Length: +5"),
    .head(.invalidContentLength, "Content-Length: -5"),
    .head(.invalidContentLength, "Content-Length: 0x5"),
    .head(.invalidContentLength, "Content-Length: 5 5"),
    .head(.invalidContentLength, "Content-Length: 5."),
    .head(.invalidContentLength, "Content-Length:"),
    .head(.invalidContentLength, "Content-Length: ,"),
    .head(.invalidContentLength, "Content-Length: 5\r\nContent-Length: five"),
    .head(.conflictingContentLengths, "Content-Length: 5\r\nContent-Length: 6"),
    .head(.conflictingContentLengths, "Content-Length: 5, 6"),
    .head(.bodyTooLarge, "Content-Length: 9223372036854775807"),
    .head(.bodyTooLarge, "Content-Length: 9223372036854775808"),
    .head(.bodyTooLarge, "Content-Length: 18446744073709551617"),
    .head(.unsupportedTransferEncoding, "Transfer-Encoding: gzip, chunked"),
    .head(.unsupportedTransferEncoding, "Transfer-Encoding: chunked, chunked"),
    .head(.unsupportedTransferEncoding, "Transfer-Encoding: chunked\r\ntransfer-encoding: gzip"),
    .head(.unsupportedTransferEncoding, "Transfer-Encoding: identity"),
    .head(.unsupportedTransferEncoding, "Transfer-Encoding: xchunked"),
    .head(.unsupportedTransferEncoding, "Transfer-Encoding:"),
    .head(.contentLengthWithTransferEncoding, "Content-Length: 5\r\nTransfer-Encoding: chunked"),
    Case(
      .unsupportedTransferEncoding,
      "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    ),
  ]

  private static let chunks: [Case] = [
    .chunks(.invalidChunkSize, "\r\n"),
    .chunks(.invalidChunkSize, "xyz\r\n"),
    .chunks(.invalidChunkSize, "-1\r\n"),
    .chunks(.invalidChunkSize, "+1\r\n"),
    .chunks(.invalidChunkSize, "0x1\r\n"),
    .chunks(.invalidChunkSize, " 1\r\n"),
    .chunks(.invalidChunkSize, "1 2\r\n"),
    .chunks(.invalidChunkSize, ";ext\r\n"),
    .chunks(.invalidChunkSize, "1\n"),
    .chunks(.invalidChunkSize, "11\n"),
    .chunks(.invalidChunkSize, "1;a\n"),
    .chunks(.invalidChunkSize, "1;a\0b\r\n"),
    .chunks(.invalidChunkSize, "1;a\rb\r\n"),
    .chunks(.missingChunkEnd, "1\r\nxy\r\n"),
    .chunks(.missingChunkEnd, "1\r\nx\n0"),
    .chunks(.bodyTooLarge, "7fffffffffffffff\r\n"),
    .chunks(.bodyTooLarge, "8000000000000000\r\n"),
    .chunks(.bodyTooLarge, "FFFFFFFFFFFFFFFFF\r\n"),
    .chunks(.bodyTooLarge, "1\r\nx\r\n7fffffffffffffff\r\n"),
    .chunks(.headerWithoutColon, "0\r\ntrailer\r\n"),
  ]

  @Test("a malformed response is rejected at any cut", arguments: first + headers + chunks)
  func rejected(row: Case) {
    var whole = HTTPResponseParser(method: "GET")
    #expect(throws: row.error) { try whole.receive(row.bytes) }
    var parser = HTTPResponseParser(method: "GET")
    #expect(throws: row.error) {
      for byte in row.bytes { _ = try parser.receive([byte]) }
    }
  }

  @Test("input that does not begin like HTTP is rejected before the line ends")
  func early() {
    var parser = HTTPResponseParser(method: "GET")
    #expect(throws: HTTPError.notHTTP) { try parser.receive([0x15]) }
    var other = HTTPResponseParser(method: "GET")
    #expect(throws: HTTPError.notHTTP) { try other.receive("HTTX".utf8) }
  }

  @Test("every call after an error throws the same error")
  func afterError() {
    var parser = HTTPResponseParser(method: "GET")
    #expect(throws: HTTPError.notHTTP) { try parser.receive("x".utf8) }
    #expect(throws: HTTPError.notHTTP) { try parser.receive("HTTP/1.1 204 \r\n\r\n".utf8) }
    #expect(throws: HTTPError.notHTTP) { try parser.receiveEndOfStream() }
    #expect(parser.leftover == [])
  }
}
