// SPDX-License-Identifier: MIT

import HTTPCodec
import Testing

@Suite("HTTPRequest")
struct HTTPRequestTests {
  private func text(_ request: HTTPRequest) throws -> String {
    String(decoding: try request.encoded(), as: UTF8.self)
  }

  @Test("a request consists of its line, its headers in order, an empty line and its body")
  func plain() throws {
    let request = HTTPRequest(
      method: "POST",
      target: "/workspaces/K81UWZRy/sessions?x=1",
      headers: ["Host": "127.0.0.1:7749", "Authorization": "Bearer sk_x"],
      body: Array("{}".utf8)
    )
    #expect(
      try text(request) == """
        POST /workspaces/K81UWZRy/sessions?x=1 HTTP/1.1\r
        Host: 127.0.0.1:7749\r
        Authorization: Bearer sk_x\r
        Content-Length: 2\r
        \r
        {}
        """
    )
  }

  @Test(
    "a length is sent with a body, and for methods that expect one",
    arguments: [
      ("GET", "", nil), ("DELETE", "", nil), ("HEAD", "", nil),
      ("POST", "", "0"), ("PUT", "", "0"), ("PATCH", "", "0"),
      ("GET", "abc", "3"), ("POST", "abc", "3"),
    ] as [(String, String, String?)]
  )
  func lengths(method: String, body: String, length: String?) throws {
    let request = HTTPRequest(method: method, target: "/", body: Array(body.utf8))
    var parser = HTTPRequestParser()
    let parsed = try #require(try parser.receive(try request.encoded()))
    #expect(parsed.headers["Content-Length"] == length)
    #expect(parsed.body == request.body)
  }

  @Test(
    "a method is a token",
    arguments: ["", "G T", "GET\r\n", "GET\0", "G\u{7F}T", "GÉT", "G/T"]
  )
  func methods(method: String) {
    #expect(throws: HTTPEncodingError.invalidMethod) {
      try HTTPRequest(method: method, target: "/").encoded()
    }
  }

  @Test(
    "a target is a path that begins with one slash and needs no percent-encoding",
    arguments: [
      "", "workspaces", "//", "//workspaces", "*", "http://host/", "/a b", "/a\r\nX: y", "/\n",
      "/\0", "/a\t", "/ü", "/a#b", "host:80", " /",
    ]
  )
  func targets(target: String) {
    #expect(throws: HTTPEncodingError.invalidTarget) {
      try HTTPRequest(method: "GET", target: target).encoded()
    }
  }

  @Test(
    "later double slashes and percent-encoded characters are allowed",
    arguments: ["/a//b", "/%20?q=//"]
  )
  func fineTargets(target: String) throws {
    #expect(
      try text(HTTPRequest(method: "GET", target: target)) == "GET \(target) HTTP/1.1\r\n\r\n"
    )
  }

  @Test("CONNECT names a host and a port", arguments: ["host:443", "10.0.0.1:1", "[::1]:65535"])
  func authorities(target: String) throws {
    let request = HTTPRequest(method: "CONNECT", target: target, headers: ["Host": target])
    #expect(try text(request) == "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
  }

  @Test(
    "CONNECT accepts only a host and a port",
    arguments: [
      "/", "host", "host:", ":443", "host:0", "host:65536", "host:+1", "host:4a", "u@host:1",
      "a/b:1", "::1:443", "ho st:1", "host:1\r\n",
      "[::1:443", "::1]:443",
    ]
  )
  func wrongAuthorities(target: String) {
    #expect(throws: HTTPEncodingError.invalidTarget) {
      try HTTPRequest(method: "CONNECT", target: target).encoded()
    }
  }

  @Test(
    "a header cannot contain another one",
    arguments: [
      ("", "x", .invalidHeaderName),
      ("A B", "x", .invalidHeaderName),
      ("A:", "x", .invalidHeaderName),
      ("A\r\nB", "x", .invalidHeaderName),
      ("Ä", "x", .invalidHeaderName),
      ("A", "x\r\nB: y", .invalidHeaderValue),
      ("A", "x\n", .invalidHeaderValue),
      ("A", "x\r", .invalidHeaderValue),
      ("A", "\0", .invalidHeaderValue),
      ("A", "\u{1B}[31m", .invalidHeaderValue),
      ("A", "\u{7F}", .invalidHeaderValue),
      ("content-length", "5", .framingHeader),
      ("Transfer-Encoding", "chunked", .framingHeader),
    ] as [(String, String, HTTPEncodingError)]
  )
  func headers(name: String, value: String, error: HTTPEncodingError) {
    let headers = HTTPHeaders([("Host", "h"), (name, value)])
    #expect(throws: error) {
      try HTTPRequest(method: "GET", target: "/", headers: headers).encoded()
    }
    #expect(throws: error) { try HTTPResponse(status: 200, headers: headers).encoded() }
  }
}
