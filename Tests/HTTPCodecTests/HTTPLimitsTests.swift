// SPDX-License-Identifier: MIT

import HTTPCodec
import Testing

@Suite("HTTPLimits")
struct HTTPLimitsTests {
  private let limits = {
    var limits = HTTPLimits(bodyBytes: 50)
    (limits.headBytes, limits.headerLines, limits.interimResponses) = (100, 3, 2)
    (limits.chunkLineBytes, limits.trailerBytes) = (10, 20)
    return limits
  }()

  private func parse(_ pieces: String...) throws -> HTTPResponse? {
    var parser = HTTPResponseParser(method: "GET", limits: limits)
    var response: HTTPResponse?
    for piece in pieces { response = try parser.receive(piece.utf8) }
    return response
  }

  private static let status = "HTTP/1.1 200 OK\r\n"
  private static let chunked = status + "Transfer-Encoding: chunked\r\n\r\n"

  @Test("a head may be as large as the limit, but not larger")
  func head() throws {
    func head(padding: Int) -> String {
      Self.status + "Content-Length: 0\r\nA: \(String(repeating: "a", count: padding))\r\n\r\n"
    }
    let fitting = 100 - head(padding: 0).utf8.count
    #expect(try parse(head(padding: fitting))?.status == 200)
    #expect(throws: HTTPError.headTooLarge) { try parse(head(padding: fitting + 1)) }
  }

  @Test("an endless line is rejected at the limit")
  func endlessLine() throws {
    #expect(try parse("HTTP/1.1 200 " + String(repeating: "x", count: 87)) == nil)
    #expect(throws: HTTPError.headTooLarge) {
      try parse("HTTP/1.1 200 " + String(repeating: "x", count: 88))
    }
    #expect(throws: HTTPError.headTooLarge) {
      try parse(Self.status, String(repeating: "x", count: 84))
    }
  }

  @Test("header lines are limited")
  func headerLines() throws {
    let lines = "A: 1\r\nB: 2\r\nContent-Length: 0\r\n"
    #expect(try parse(Self.status + lines + "\r\n") != nil)
    #expect(throws: HTTPError.tooManyHeaders) { try parse(Self.status + lines + "C: 3\r\n") }
  }

  @Test("interim responses are limited, and the head limit applies to each")
  func interim() throws {
    let interim = "HTTP/1.1 102 Processing\r\nA: \(String(repeating: "a", count: 50))\r\n\r\n"
    let final = "HTTP/1.1 204 \r\n\r\n"
    #expect(try parse(interim + interim + final)?.status == 204)
    #expect(throws: HTTPError.tooManyInterimResponses) {
      try parse(interim + interim + interim)
    }
  }

  @Test("chunk lines and trailers are limited, complete or not")
  func chunkLines() throws {
    #expect(try parse(Self.chunked, "0;345678\r\n\r\n") != nil)
    #expect(throws: HTTPError.chunkLineTooLong) { try parse(Self.chunked, "0;3456789\r\n") }
    #expect(throws: HTTPError.chunkLineTooLong) { try parse(Self.chunked, "00000000000") }
    #expect(try parse(Self.chunked, "0\r\nA: 4567890123456\r\n\r\n") != nil)
    #expect(throws: HTTPError.trailersTooLarge) {
      try parse(Self.chunked, "0\r\nA: 45678901234567\r\n\r\n")
    }
    #expect(throws: HTTPError.trailersTooLarge) {
      try parse(Self.chunked, "0\r\n", String(repeating: "x", count: 21))
    }
    #expect(throws: HTTPError.tooManyHeaders) {
      try parse(Self.chunked, "0\r\na:\r\nb:\r\nc:\r\nd:\r\n")
    }
  }

  @Test("a length over the limit is rejected before the body arrives")
  func length() throws {
    #expect(try parse(Self.status + "Content-Length: 50\r\n\r\n") == nil)
    #expect(throws: HTTPError.bodyTooLarge) {
      try parse(Self.status + "Content-Length: 51\r\n\r\n")
    }
  }

  @Test("a chunk over the limit is rejected before it arrives")
  func chunks() throws {
    let first = "20\r\n\(String(repeating: "x", count: 32))\r\n"
    #expect(try parse(Self.chunked, first, "12\r\n") == nil)
    #expect(throws: HTTPError.bodyTooLarge) { try parse(Self.chunked, first, "13\r\n") }
  }

  @Test("a body without a length is rejected at the first byte over the limit")
  func endless() throws {
    let body = String(repeating: "x", count: 50)
    #expect(try parse(Self.status + "\r\n", body) == nil)
    #expect(throws: HTTPError.bodyTooLarge) { try parse(Self.status + "\r\n", body, "x") }
  }

  @Test(
    "a body of 60 MB in small pieces takes linear time",
    arguments: ["Content-Length: 60000000\r\n", "Transfer-Encoding: chunked\r\n", ""]
  )
  func large(framing: String) throws {
    var bytes = Array("HTTP/1.1 200 OK\r\n\(framing)\r\n".utf8)
    if framing.hasPrefix("T") { bytes += Array("3938700\r\n".utf8) }
    bytes += [UInt8](repeating: 0x78, count: 60_000_000)
    if framing.hasPrefix("T") { bytes += Array("\r\n0\r\n\r\n".utf8) }
    var parser = HTTPResponseParser(method: "GET")
    // Moving the whole body for each piece would move about a terabyte.
    for start in stride(from: 0, to: bytes.count, by: 2048) {
      _ = try parser.receive(bytes[start..<min(start + 2048, bytes.count)])
    }
    let response = try parser.receiveEndOfStream()
    #expect(response.body.count == 60_000_000)
  }

  @Test("a head in single bytes takes linear time")
  func slowHead() throws {
    var limits = HTTPLimits()
    limits.headBytes = 1_000_000
    var parser = HTTPResponseParser(method: "GET", limits: limits)
    _ = try parser.receive("HTTP/1.1 204 \r\nA: ".utf8)
    for _ in 0..<300_000 { _ = try parser.receive([0x78]) }
    #expect(try parser.receive("\r\n\r\n".utf8)?.headers["A"]?.utf8.count == 300_000)
  }

  @Test("a body of 80 MB is rejected at the limit")
  func overLimit() throws {
    var parser = HTTPResponseParser(method: "GET")
    _ = try parser.receive("HTTP/1.1 200 OK\r\n\r\n".utf8)
    let piece = [UInt8](repeating: 0x78, count: 16_384)
    for _ in 0..<4096 { #expect(try parser.receive(piece) == nil) }
    #expect(throws: HTTPError.bodyTooLarge) { try parser.receive([0x78]) }
  }
}
