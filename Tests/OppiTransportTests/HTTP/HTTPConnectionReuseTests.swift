// SPDX-License-Identifier: MIT

import HTTPCodec
import Synchronization
import TestSupport
import Testing

@testable import OppiTransport

@Suite("HTTPConnection, reuse")
struct HTTPConnectionReuseTests {
  private struct Counts: Equatable {
    var connections = 0
    var requests = 0
  }

  /// Sends requests to a server that gives each the same response, and closes if `hangsUp` is set.
  private func counts(
    answer: String,
    hangsUp: Bool = false,
    exchanges: Int = 2,
    _ check: @escaping @Sendable (Result<HTTPResponse, TransportError>) -> Void
  ) throws -> Counts {
    let counts = Mutex(Counts())
    let get = HTTPRequest(method: "GET", target: "/")
    try onLoop { loop in
      try await withServer(on: loop) { accepted in
        counts.withLock { $0.connections += 1 }
        let stream = try await accepted.open()
        repeat {
          _ = try await stream.readRequest()
          counts.withLock { $0.requests += 1 }
          try await stream.write(answer)
        } while !hangsUp
        stream.shutDown()
      } while: { port in
        let connection = try HTTPConnection(to: port, on: loop)
        for _ in 0..<exchanges {
          do throws(TransportError) {
            check(.success(try await connection.exchange(get, until: .farOff).response))
          } catch {
            check(.failure(error))
          }
        }
      }
    }
    return counts.withLock { $0 }
  }

  private func expectStatus(_ status: Int)
    -> @Sendable (Result<HTTPResponse, TransportError>) -> Void
  {
    { #expect((try? $0.get())?.status == status) }
  }

  @Test(
    "a connection is reused for further requests",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ]
  )
  func kept(answer: String) throws {
    let counts = try counts(answer: answer, exchanges: 3, expectStatus(200))
    #expect(counts == Counts(connections: 1, requests: 3))
  }

  @Test(
    "a connection is not reused if its close is announced, or if anything else may follow",
    arguments: [
      ("200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 200),
      ("200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n", 200),
      ("200 OK\r\nConnection: keep-alive, CLOSE\r\nContent-Length: 0\r\n\r\n", 200),
      // Another protocol.
      ("101 Upgraded\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", 101),
      // Bytes that a later request did not cause.
      ("200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 Forged\r\n\r\n", 200),
    ]
  )
  func notReused(answer: String, status: Int) throws {
    let counts = try counts(answer: "HTTP/1.1 \(answer)", expectStatus(status))
    #expect(counts == Counts(connections: 2, requests: 2))
  }

  @Test("an open connection is not opened again")
  func opened() throws {
    let connections = Mutex(0)
    try onLoop { loop in
      try await withServer(on: loop) { accepted in
        connections.withLock { $0 += 1 }
        let stream = try await accepted.open()
        _ = try await stream.readRequest()
        try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      } while: { port in
        let connection = try HTTPConnection(to: port, on: loop)
        for _ in 0..<2 { try await connection.open(until: .farOff) }
        let get = HTTPRequest(method: "GET", target: "/")
        _ = try await connection.exchange(get, until: .farOff)
      }
    }
    #expect(connections.withLock { $0 } == 1)
  }

  @Test("a connection that ends the body is not reused")
  func endsWithConnection() throws {
    let answer = "HTTP/1.1 200 OK\r\n\r\nas long as it takes"
    let counts = try counts(answer: answer, hangsUp: true, expectStatus(200))
    #expect(counts == Counts(connections: 2, requests: 2))
  }

  @Test("a request without a response is not repeated")
  func notRepeated() throws {
    let counts = try counts(answer: "", hangsUp: true, exchanges: 1) { result in
      #expect(throws: TransportError.closed(.answer)) { try result.get() }
    }
    #expect(counts == Counts(connections: 1, requests: 1))
  }

  @Test(
    "only a safe request is repeated after the end of a reused connection",
    arguments: ["GET", "POST", "DELETE"]
  )
  func keptConnectionEnds(method: String) throws {
    let asked = Mutex<[String]>([])
    let status: Int? = try onLoop { loop in
      try await withServer(on: loop) { accepted in
        let stream = try await accepted.open()
        let isFirst = asked.withLock(\.isEmpty)
        let request = try await stream.readRequest()
        asked.withLock { $0.append(request.method) }
        try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        guard isFirst else { return }
        let next = try await stream.readRequest()
        asked.withLock { $0.append(next.method) }
      } while: { port in
        let network = Network(loop: loop, environment: [:])
        let connection = HTTPConnection(network: network, destination: try .local(port))
        let first = HTTPRequest(method: "GET", target: "/")
        _ = try await connection.exchange(first, until: .farOff)
        let second = HTTPRequest(method: method, target: "/")
        return try? await connection.exchange(second, until: .farOff).response.status
      }
    }
    let isRepeated = method == "GET"
    #expect(asked.withLock { $0 } == ["GET", method] + (isRepeated ? ["GET"] : []))
    #expect(status == (isRepeated ? 200 : nil))
  }

  @Test("after a failure, the next request opens a new connection")
  func afterFailure() throws {
    let counts = try counts(answer: "nonsense\r\n\r\n") { result in
      #expect(throws: TransportError.malformedAnswer(.notHTTP)) { try result.get() }
    }
    #expect(counts == Counts(connections: 2, requests: 2))
  }
}
