// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import FakeServer

@Suite("Interventions at connections and requests")
struct HTTPInterventionTests {
  /// Runs a test against a server that intervenes at each connection or each request.
  private static func run(
    _ intervention: Intervention,
    atAccept: Bool = false,
    dialect: Dialect = .multiplexed,
    _ test: @escaping @Sendable (TestClient) async throws -> Void
  ) throws {
    var configuration = FakeServer.Configuration()
    configuration.dialect = dialect
    configuration.interceptor = { step in
      switch step {
      case .accepted: atAccept ? intervention : .proceed
      case .request: atAccept ? .proceed : intervention
      default: .proceed
      }
    }
    try TestClient.run(configuration, test)
  }

  /// Sends a request that gets no answer in time, then disconnects.
  private static func expectSilence(_ client: TestClient) async throws {
    let connection = HTTPConnection(network: client.network, destination: client.destination)
    let error = await #expect(throws: TransportError.self) {
      let request = HTTPRequest(method: "GET", target: "/me", headers: client.headers)
      _ = try await connection.exchange(request, until: .now + .milliseconds(20))
    }
    guard case .timedOut(.answer)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try await client.wait { $0.endedConnections == 1 }
  }

  private static func expectCut(_ client: TestClient) async throws {
    let error = await #expect(throws: TransportError.self) {
      try await client.call("GET", "/me")
    }
    guard case .closed(.answer)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a connection hangs before or after a request", arguments: [true, false])
  func hang(atAccept: Bool) throws {
    try Self.run(.hang, atAccept: atAccept) { client in
      try await Self.expectSilence(client)
      #expect(client.server.journal.requests.count == (atAccept ? 0 : 1))
      #expect(client.server.journal.requests.allSatisfy { $0.status == nil })
    }
  }

  @Test("an ignored request is not answered")
  func ignore() throws {
    try Self.run(.ignore) { try await Self.expectSilence($0) }
  }

  @Test("a connection is cut", arguments: [true, false])
  func drop(atAccept: Bool) throws {
    try Self.run(.drop, atAccept: atAccept) { try await Self.expectCut($0) }
  }

  @Test("a response in pieces of one byte is unchanged", arguments: [true, false])
  func pieces(atAccept: Bool) throws {
    try Self.run(.proceedInPieces(size: 1), atAccept: atAccept) { client in
      let answer = try await client.call("GET", "/me")
      #expect(answer["user"] == "owner")
    }
  }

  @Test("a request gets the response of the test", arguments: [401, 403, 404, 429, 500, 503])
  func answer(status: Int) throws {
    try Self.run(.answer(status: status, error: "no")) { client in
      let answer = try await client.call("GET", "/me", expecting: status)
      #expect(answer == ["error": "no"])
      #expect(client.server.journal.requests.map(\.status) == [status])
    }
  }

  @Test("a response may be large and need not be JSON")
  func page() throws {
    let body = Array(repeating: UInt8(ascii: "<"), count: 20 << 20)
    let page = HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: body)
    try Self.run(.answer(page)) { client in
      let response = try await client.exchange("GET", "/me")
      #expect(response.headers["Content-Type"] == "text/html")
      #expect(response.body.count == body.count)
    }
  }

  @Test("raw bytes can be a truncated response")
  func truncated() throws {
    let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"us".utf8)
    try Self.run(.send(bytes, then: .drop)) { try await Self.expectCut($0) }
  }

  @Test("raw bytes can precede a connection's first request")
  func early() throws {
    try Self.run(.send(Array("hello".utf8), then: .hang), atAccept: true) { client in
      let stream = try await client.network.open(client.destination, until: .farOff)
      #expect(try await stream.read(until: .farOff) == Array("hello".utf8))
    }
  }

  @Test("raw bytes can precede the real response")
  func interim() throws {
    let bytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    try Self.run(.send(bytes, then: .proceed)) { client in
      let answer = try await client.call("GET", "/me")
      #expect(answer["user"] == "owner")
    }
  }

  @Test("a session is created although the response is lost")
  func performThenDrop() throws {
    var configuration = FakeServer.Configuration()
    configuration.interceptor = { step in
      guard case .request(let request, _) = step, request.method == "POST" else { return .proceed }
      return .performThenDrop
    }
    try TestClient.run(configuration) { client in
      await #expect(throws: TransportError.self) { try await client.createSession(name: "lost") }
      let sessions = try await client.call("GET", "/sessions")["sessions"].array
      #expect(sessions?.map { $0["name"] } == ["lost"])
    }
  }

  @Test("an upgrade is refused or answered with a mistake")
  func upgrades() throws {
    var configuration = FakeServer.Configuration()
    configuration.interceptor = { step in
      guard case .request(let request, let connection) = step else { return .proceed }
      switch connection {
      case 1: return .answer(status: 404, error: "Not found")
      case 2: return .answer(HTTPResponse.upgrade(for: HTTPRequest(method: "GET", target: "/")))
      default:
        var answer = HTTPResponse.upgrade(for: request)
        answer.headers.append(name: "Sec-WebSocket-Extensions", value: "permessage-deflate")
        return .answer(answer)
      }
    }
    try TestClient.run(configuration) { client in
      var errors: [String] = []
      for _ in 1...3 {
        do {
          _ = try await client.connect("/stream")
        } catch TransportError.upgradeRefused(let error) {
          errors.append("\(error)")
        }
      }
      #expect(Set(errors).count == 3)
    }
  }
}
