// SPDX-License-Identifier: MIT

import FakeServer
import Glibc
import HostTestSupport
import Synchronization
import Testing

@Suite("Interventions")
struct InterventionTests {
  @Test("a fragmented message has several frames on the wire")
  func fragments() throws {
    let configuration = FakeServer.Configuration.spring {
      $0.interceptor = { if case .opened = $0 { .proceedFragmented(size: 30) } else { .proceed } }
    }
    try TestClient.run(configuration) { client in
      let text = try await client.upgrade { $0.hasSuffix("}") }
      // The first frame is text, not final, and has 30 bytes; the second continues it.
      #expect(text.contains("\r\n\r\n\u{1}\u{1E}{\""))
      #expect(text.contains("\u{FFFD}\u{13}"))
    }
  }

  @Test("the interceptor runs on the server's own thread")
  func oneThread() throws {
    let threads = Threads()
    let configuration = FakeServer.Configuration.spring {
      $0.interceptor = { _ in
        _ = threads.ids.withLock { $0.insert(pthread_self()) }
        return .proceed
      }
    }
    try TestClient.run(configuration) { client in
      for prompt in ["hello", "child"] {
        let stream = try await client.openSession()
        try await stream.prompt(prompt)
        try await stream.readRun()
      }
    }
    #expect(threads.ids.withLock(\.count) == 1)
    #expect(threads.ids.withLock { !$0.contains(pthread_self()) })
  }

  private final class Threads: Sendable {
    let ids = Mutex<Set<pthread_t>>([])
  }

  @Test("a silent client is pinged, and disconnected if it does not answer")
  func keepalive() throws {
    try TestClient.run(.spring { $0.limits.pingInterval = .milliseconds(5) }) { client in
      _ = try await client.openStream()
      try await client.wait { $0.endedConnections == 1 }
    }
  }
}

@Suite("Upgrades")
struct UpgradeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var target = "/stream"
    var changes: [String: String?] = [:]
    let status: Int

    var testDescription: String { name }
  }

  private static let cases = [
    Case(name: "a correct request", status: 101),
    Case(name: "no token", changes: ["Authorization": nil], status: 401),
    Case(name: "a wrong token", changes: ["Authorization": "Bearer wrong"], status: 401),
    Case(name: "the path of older servers", target: "/workspaces/x/sessions/y/stream", status: 404),
    Case(name: "a trailing slash", target: "/stream/", status: 404),
    Case(name: "an old WebSocket version", changes: ["Sec-WebSocket-Version": "8"], status: 400),
  ]

  @Test("an upgrade is answered as recorded", arguments: cases)
  func verdict(_ given: Case) throws {
    try TestClient.run { client in
      let head = try await client.upgrade(given.target, given.changes) {
        $0.contains("\r\n\r\n")
      }
      #expect(head.hasPrefix("HTTP/1.1 \(given.status) "))
      #expect(client.server.journal.requests.map(\.status) == [given.status])
      if given.status == 101 {
        #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
      } else {
        #expect(head.contains("Connection: close\r\n"))
        let challenge = "WWW-Authenticate: Bearer realm=\"oppi\"\r\n"
        #expect(head.contains(challenge) == (given.status == 401))
      }
    }
  }
}
