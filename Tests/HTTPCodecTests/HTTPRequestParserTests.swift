// SPDX-License-Identifier: MIT

import HTTPCodec
import TestSupport
import Testing

@Suite("HTTPRequestParser")
struct HTTPRequestParserTests {
  struct Sent: Identifiable, Sendable {
    let id: String
    let bytes: String
    var method = "GET"
    var target = "/"
    var body = ""
    var leftover = ""
  }

  static let requests: [Sent] = [
    Sent(id: "plain", bytes: "GET /me?x=1 HTTP/1.1\r\nHost: a\r\n\r\n", target: "/me?x=1"),
    Sent(id: "no headers", bytes: "GET / HTTP/1.0\r\n\r\n"),
    Sent(
      id: "longest method",
      bytes: String(repeating: "A", count: 32) + " / HTTP/1.1\r\n\r\n",
      method: String(repeating: "A", count: 32)
    ),
    Sent(id: "bare line feeds", bytes: "GET / HTTP/1.1\nHost: a\n\n"),
    Sent(
      id: "length, and the next request",
      bytes: "POST /pair HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}GET /",
      method: "POST",
      target: "/pair",
      body: "{}",
      leftover: "GET /"
    ),
    Sent(
      id: "chunked",
      bytes: "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      method: "PUT",
      target: "/x",
      body: "{}"
    ),
    Sent(
      id: "upgrade with the first frame",
      bytes: "GET /stream HTTP/1.1\r\nUpgrade: websocket\r\n\r\n\u{1}\u{2}",
      target: "/stream",
      leftover: "\u{1}\u{2}"
    ),
    Sent(
      id: "tunnel",
      bytes: "CONNECT host:443 HTTP/1.1\r\n\r\n",
      method: "CONNECT",
      target: "host:443"
    ),
  ]

  @Test("a request cut at any byte is parsed the same", arguments: requests)
  func anyCut(sent: Sent) throws {
    let bytes = Array(sent.bytes.utf8)
    for cut in 0...bytes.count {
      var parser = HTTPRequestParser()
      let early = try parser.receive(bytes[..<cut])
      #expect((early != nil) == (cut + sent.leftover.utf8.count >= bytes.count))
      let request = try #require(try parser.receive(bytes[cut...]))
      #expect(request.method == sent.method)
      #expect(request.target == sent.target)
      #expect(request.body == Array(sent.body.utf8))
      #expect(parser.leftover == Array(sent.leftover.utf8))
    }
  }

  @Test(
    "a malformed request is rejected with its error",
    arguments: [
      (.notHTTP, "\u{16}\u{3}\u{1}"),
      (.notHTTP, " GET / HTTP/1.1\r\n"),
      (.notHTTP, "\r\nGET / HTTP/1.1\r\n"),
      (.notHTTP, String(repeating: "A", count: 33)),
      (.malformedRequestLine, "SSH-2.0-x y\r\n"),
      (.malformedRequestLine, "GET /\r\n"),
      (.malformedRequestLine, "GET  / HTTP/1.1\r\n"),
      (.malformedRequestLine, "GET / x HTTP/1.1\r\n"),
      (.malformedRequestLine, "GET  HTTP/1.1\r\n"),
      (.malformedRequestLine, "GET /\t HTTP/1.1\r\n"),
      (.malformedRequestLine, "GET /ü HTTP/1.1\r\n"),
      (.unsupportedVersion, "GET / HTTP/2.0\r\n"),
      (.unsupportedVersion, "GET / http/1.1\r\n"),
      (.spaceBeforeColon, "GET / HTTP/1.1\r\nHost : a\r\n"),
      (
        .contentLengthWithTransferEncoding,
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
      ),
      (.bodyTooLarge, "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
    ] as [(HTTPError, String)]
  )
  func rejected(error: HTTPError, text: String) {
    var parser = HTTPRequestParser()
    #expect(throws: error) { try parser.receive(text.utf8) }
    var slow = HTTPRequestParser()
    #expect(throws: error) { for byte in text.utf8 { _ = try slow.receive([byte]) } }
  }

  @Test("an encoded request is parsed back", arguments: 1...30 as ClosedRange<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let requests = (0..<5).map { index in
      HTTPRequest(
        method: "POST",
        target: "/\(index)?q=\(seed)",
        headers: ["Host": "h", "X": "\(index)"],
        body: generator.bytes(.random(in: 0...2000, using: &generator))
      )
    }
    var rest = try requests.flatMap { try $0.encoded() }[...]
    var parser = HTTPRequestParser()
    var parsed: [HTTPRequest] = []
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...900, using: &generator))
      rest = rest.dropFirst(piece.count)
      var request = try parser.receive(piece)
      while let complete = request {
        parsed.append(complete)
        let next = parser.leftover
        parser = HTTPRequestParser()
        request = try parser.receive(next)
      }
    }
    #expect(parsed.map(\.method) == requests.map(\.method))
    #expect(parsed.map(\.target) == requests.map(\.target))
    #expect(parsed.map(\.body) == requests.map(\.body))
    #expect(parsed.map { $0.headers["X"] } == ["0", "1", "2", "3", "4"])
  }
}
