// SPDX-License-Identifier: MIT

import HTTPCodec
import Testing

@Suite("HTTPResponse")
struct HTTPResponseTests {
  private func text(_ response: HTTPResponse, chunked: Bool = false) throws -> String {
    String(decoding: try response.encoded(chunked: chunked), as: UTF8.self)
  }

  private let found = HTTPResponse(
    status: 200,
    reason: "OK",
    headers: ["A": "b"],
    body: Array("0123456789abcdef!".utf8)
  )

  @Test("a body is preceded by its length")
  func length() throws {
    #expect(
      try text(found) == "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 17\r\n\r\n0123456789abcdef!"
    )
    #expect(try text(HTTPResponse(status: 404)) == "HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n")
  }

  @Test("a chunked body has one chunk and the last chunk")
  func chunked() throws {
    let head = "HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(try text(found, chunked: true) == head + "11\r\n0123456789abcdef!\r\n0\r\n\r\n")
    var empty = found
    empty.body = []
    #expect(try text(empty, chunked: true) == head + "0\r\n\r\n")
  }

  @Test("a response that cannot have a body has no length", arguments: [100, 101, 204, 304])
  func noBody(status: Int) throws {
    let response = HTTPResponse(status: status, reason: "R")
    #expect(try text(response) == "HTTP/1.1 \(status) R\r\n\r\n")
    #expect(try text(response, chunked: true) == "HTTP/1.1 \(status) R\r\n\r\n")
    #expect(throws: HTTPEncodingError.bodyNotAllowed) {
      try HTTPResponse(status: status, body: [1]).encoded()
    }
  }

  @Test("a status has three digits", arguments: [-200, 0, 99, 1000])
  func status(status: Int) {
    #expect(throws: HTTPEncodingError.invalidStatus) {
      try HTTPResponse(status: status).encoded()
    }
  }

  @Test("a reason cannot contain a header", arguments: ["OK\r\nA: b", "O\nK", "\0"])
  func reason(reason: String) {
    #expect(throws: HTTPEncodingError.invalidReason) {
      try HTTPResponse(status: 200, reason: reason).encoded()
    }
  }
}
