// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import Synchronization
import TestSupport
import Testing

@testable import OppiTransport

@Suite("HTTPConnection")
struct HTTPConnectionTests {
  private static let get = HTTPRequest(method: "GET", target: "/x")

  /// Sends one request to a server that reads it and runs a script.
  private func exchange(
    _ request: HTTPRequest = get,
    within duration: Duration = .timeout,
    _ script: @escaping @Sendable (ByteStream) async throws -> Void
  ) throws -> Conversation<HTTPRequest, HTTPResponse> {
    try onLoop { loop in
      try await Conversation(on: loop) { accepted in
        let stream = try await accepted.open()
        let request = try await stream.readRequest()
        try await script(stream)
        return request
      } client: { port in
        let connection = try HTTPConnection(to: port, on: loop)
        return try await connection.exchange(request, until: .now + duration).response
      }
    }
  }

  @Test("a request and its response are transferred completely")
  func exchange() throws {
    let request = HTTPRequest(
      method: "POST",
      target: "/a?b=c",
      headers: ["Authorization": "Bearer t"],
      body: Array("{\"a\":1}".utf8)
    )
    let talk = try exchange(request) { stream in
      try await stream.write(HTTPResponse(status: 201, body: Array("done".utf8)).encoded())
    }
    let received = try talk.server.get()
    #expect(received.method == "POST")
    #expect(received.target == "/a?b=c")
    #expect(received.body == request.body)
    #expect(received.headers["Authorization"] == "Bearer t")
    #expect(received.headers["Host"]?.hasPrefix("127.0.0.1:") == true)
    #expect(received.headers["Content-Length"] == "7")
    #expect(try talk.client.get().status == 201)
    #expect(try talk.client.get().body == Array("done".utf8))
  }

  // MARK: Failures

  @Test(
    "a truncated response fails as closed",
    arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfour"]
  )
  func truncated(answer: String) throws {
    let talk = try exchange { try await $0.write(answer) }
    #expect(throws: TransportError.closed(.answer)) { try talk.client.get() }
  }

  @Test(
    "an invalid or oversized response is malformed",
    arguments: [
      ("HTTP/1.1 abc OK\r\n\r\n", .malformedStatusLine),
      ("HTTP/1.1 200 OK\r\nContent-Length: 83886080\r\n\r\n", .bodyTooLarge),
    ] as [(String, HTTPError)]
  )
  func malformed(answer: String, error: HTTPError) throws {
    let talk = try exchange { try await $0.write(answer) }
    #expect(throws: TransportError.malformedAnswer(error)) { try talk.client.get() }
  }

  @Test("a server that sends an endless response byte by byte times out")
  func dripping() throws {
    let talk = try converse { accepted, loop in
      let stream = try await accepted.open()
      try await stream.write("HTTP/1.1 200 OK\r\nX: ")
      while true {
        try await stream.write("x")
        try await loop.sleep(until: .now + .milliseconds(1))
      }
    } client: { port, loop in
      let connection = try HTTPConnection(to: port, on: loop)
      _ = try await connection.exchange(Self.get, until: .now + .milliseconds(300))
    }
    #expect(throws: TransportError.timedOut(.answer)) { try talk.client.get() }
  }

  @Test("an invalid request opens no connection")
  func malformedRequest() throws {
    try onLoop { loop in
      let closed = try RawSocket()
      let connection = try HTTPConnection(to: closed.port, on: loop)
      for (request, error) in [
        (HTTPRequest(method: "GET", target: "x"), HTTPEncodingError.invalidTarget),
        (HTTPRequest(method: "GET", target: "/", headers: ["A": "b\r\nC: d"]), .invalidHeaderValue),
      ] {
        await #expect(throws: TransportError.malformedRequest(error)) {
          try await connection.exchange(request, until: .farOff)
        }
      }
    }
  }
}
