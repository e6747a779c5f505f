// SPDX-License-Identifier: MIT

import HTTPCodec
import TestSupport
import Testing

@Suite("HTTPResponseParser")
struct HTTPResponseParserTests {
  struct Answer: Identifiable, Sendable {
    let id: String
    var method = "GET"
    let bytes: String
    var status = 200
    var body = ""
    var leftover = ""
    /// Whether the response is complete only when the stream ends.
    var endsWithStream = false
  }

  private static let node = """
    HTTP/1.1 200 OK\r
    Access-Control-Allow-Origin: *\r
    X-Oppi-Protocol: 2\r
    Content-Type: application/json\r
    Date: Sat, 21 Nov 2026 00:21:42 GMT\r
    Connection: keep-alive\r
    Keep-Alive: timeout=5\r

    """

  static let answers: [Answer] = [
    Answer(
      id: "chunked, from Node",
      bytes: node + "Transfer-Encoding: chunked\r\n\r\n"
        + "b\r\n{\"ok\":true,\r\nd\r\n\"protocol\":2}\r\n0\r\n\r\n",
      body: "{\"ok\":true,\"protocol\":2}"
    ),
    Answer(id: "HEAD, from Node", method: "HEAD", bytes: node + "\r\n"),
    Answer(
      id: "length, from Node",
      method: "POST",
      bytes: node + "Content-Length: 3\r\n\r\nabcHTTP",
      body: "abc",
      leftover: "HTTP"
    ),
    Answer(
      id: "refused upgrade",
      bytes: "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"oppi\"\r\n"
        + "Connection: close\r\nContent-Length: 0\r\n\r\n",
      status: 401
    ),
    Answer(
      id: "refused upgrade, status line alone",
      bytes: "HTTP/1.1 404 Not Found\r\n\r\n",
      status: 404,
      endsWithStream: true
    ),
    Answer(
      id: "upgrade with the first frame",
      bytes: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        + "\u{1}{\"type\"",
      status: 101,
      leftover: "\u{1}{\"type\""
    ),
    Answer(
      id: "interim answers",
      bytes: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        + "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}",
      status: 201,
      body: "{}"
    ),
    Answer(
      id: "no length",
      bytes: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall the rest\r\n",
      body: "all the rest\r\n",
      endsWithStream: true
    ),
    Answer(
      id: "HTTP/1.0",
      bytes: "HTTP/1.0 200 OK\r\nServer: old\r\n\r\nold",
      body: "old",
      endsWithStream: true
    ),
    Answer(id: "no reason", bytes: "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", body: "x"),
    Answer(id: "empty reason", bytes: "HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx", body: "x"),
    Answer(id: "later minor version", bytes: "HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n"),
    Answer(
      id: "bare line feeds",
      bytes: "HTTP/1.1 200 OK\nA: b\nContent-Length: 2\n\nhi",
      body: "hi"
    ),
    Answer(
      id: "204 with a length that is not meant",
      bytes: "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nafter",
      status: 204,
      leftover: "after"
    ),
    Answer(
      id: "304",
      bytes: "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
      status: 304
    ),
    Answer(
      id: "tunnel",
      method: "CONNECT",
      bytes: "HTTP/1.1 200 Connection established\r\nContent-Length: 9\r\n\r\nSSH-2.0",
      leftover: "SSH-2.0"
    ),
    Answer(
      id: "refused tunnel",
      method: "CONNECT",
      bytes: "HTTP/1.1 407 Auth\r\nContent-Length: 2\r\n\r\nno",
      status: 407,
      body: "no"
    ),
    Answer(
      id: "same length twice",
      bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\ncontent-length: 002\r\n\r\nab",
      body: "ab"
    ),
    Answer(
      id: "extensions and trailers",
      bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
        + "1;a=b\r\nx\r\n002 ; c=\"d\"\r\nyz\r\nA\r\n0123456789\r\n00\r\nDigest: none\r\nB:\r\n\r\nmore",
      body: "xyz0123456789",
      leftover: "more"
    ),
    Answer(
      id: "line ends inside chunks",
      bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n",
      body: "\r\n\r\n"
    ),
  ]

  @Test("a response cut at any byte, or in single bytes, is parsed the same", arguments: answers)
  func anyCut(answer: Answer) throws {
    var slow = HTTPResponseParser(method: answer.method)
    for byte in answer.bytes.utf8 { _ = try slow.receive([byte]) }
    #expect(try slow.receiveEndOfStream().body == Array(answer.body.utf8))
    #expect(slow.leftover == Array(answer.leftover.utf8))
    let bytes = Array(answer.bytes.utf8)
    for cut in 0...bytes.count {
      var parser = HTTPResponseParser(method: answer.method)
      var response = try parser.receive(bytes[..<cut])
      let isComplete = !answer.endsWithStream && cut + answer.leftover.utf8.count >= bytes.count
      #expect((response != nil) == isComplete)
      response = try parser.receive(bytes[cut...])
      #expect((response == nil) == answer.endsWithStream)
      let final = try response ?? parser.receiveEndOfStream()
      #expect(final.status == answer.status)
      #expect(final.body == Array(answer.body.utf8))
      #expect(parser.leftover == Array(answer.leftover.utf8))
    }
  }

  @Test("a response that ends early is truncated, at any cut", arguments: answers)
  func truncated(answer: Answer) throws {
    let bytes = Array(answer.bytes.utf8)
    let head = answer.bytes.utf8.count - answer.body.utf8.count
    let needed = answer.endsWithStream ? head : bytes.count - answer.leftover.utf8.count
    for cut in 0..<needed {
      var parser = HTTPResponseParser(method: answer.method)
      _ = try parser.receive(bytes[..<cut])
      #expect(throws: HTTPError.truncated) { try parser.receiveEndOfStream() }
      #expect(parser.leftover == [])
    }
  }

  @Test("the reason and the headers are returned in order")
  func head() throws {
    var parser = HTTPResponseParser(method: "GET")
    let bytes = "HTTP/1.1 404 Not Found\r\nA:  b c\t\r\na:\r\nContent-Length: 0\r\n\r\n"
    let response = try #require(try parser.receive(bytes.utf8))
    #expect(response.reason == "Not Found")
    #expect(response.headers == ["A": "b c", "a": "", "Content-Length": "0"])
  }

  @Test("an encoded response is parsed back", arguments: 1...30 as ClosedRange<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let body = generator.bytes(.random(in: 0...3000, using: &generator))
    let fields = (0..<Int.random(in: 0...20, using: &generator)).map { index in
      (name: "X-\(index % 7)", value: String(repeating: "v ", count: index) + "\(index)")
    }
    let response = HTTPResponse(
      status: Int.random(in: 200...203, using: &generator),
      reason: "Any Reason",
      headers: HTTPHeaders(fields),
      body: body
    )
    var rest = try response.encoded(chunked: .random(using: &generator))[...]
    var parser = HTTPResponseParser(method: "GET")
    var parsed: HTTPResponse?
    while !rest.isEmpty {
      #expect(parsed == nil)
      let piece = rest.prefix(Int.random(in: 1...700, using: &generator))
      parsed = try parser.receive(piece)
      rest = rest.dropFirst(piece.count)
    }
    #expect(parsed?.status == response.status)
    #expect(parsed?.reason == response.reason)
    #expect(parsed?.headers.fields.dropLast().elementsEqual(fields, by: ==) == true)
    #expect(parsed?.body == body)
  }
}
