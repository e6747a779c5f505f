// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiModel
import OppiTransport
import Synchronization
import TestSupport
import Testing
import WebSocketCodec

@testable import FakeServer

@Suite("Interventions at streams and messages")
struct StreamInterventionTests {
  @Test(
    "a message is refused instead of handled",
    arguments: ["subscribe", "set_thinking_level", "prompt"]
  )
  func refuse(type: String) throws {
    try TestClient.run(.wrong(at: type) { .refuse($0, error: "no") }) { client in
      let id = try await client.createSession()
      let stream = try await client.openStream()
      if type != "subscribe" { try await stream.subscribe(to: id) }
      let answer = try await stream.ask([
        "type": .string(type), "sessionId": .string(id), "requestId": "r", "message": "hello",
      ])
      #expect(
        answer == [
          [
            "type": "command_result", "command": .string(type), "requestId": "r",
            "success": false, "error": "no", "sessionId": .string(id),
          ]
        ]
      )
    }
  }

  @Test("a stream that hangs still records messages in the journal")
  func hang() throws {
    let hang: @Sendable (JSONValue) -> Intervention = {
      $0["clientTurnId"] == "t1" ? .hang : .proceed
    }
    try TestClient.run(.wrong(at: "prompt", hang)) { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      try await stream.prompt("hello again", in: id, turn: "t2")
      await #expect(throws: TransportError.self) {
        _ = try await stream.socket.receive(until: .now + .milliseconds(20))
      }
      await stream.close()
      let journal = try await client.wait { $0.endedConnections == 2 }
      #expect(journal.closeCodes == [1000])
      #expect(journal.messages.count == 3)
      let session = try await client.call("GET", client.sessionPath(id))["session"]
      #expect(session["messageCount"] == 0)
    }
  }

  @Test("a stream is cut, and the prompt is lost")
  func drop() throws {
    try TestClient.run(.wrong(at: "prompt") { _ in .drop }) { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      await #expect(throws: TransportError.self) { _ = try await stream.next() }
      let session = try await client.call("GET", client.sessionPath(id))["session"]
      #expect(session["messageCount"] == 0)
    }
  }

  @Test("a prompt with a lost acknowledgement runs, and its repeat is a duplicate")
  func performThenDrop() throws {
    try TestClient.run(
      .wrong(at: "prompt") { $0["requestId"] == "p" ? .performThenDrop : .proceed }
    ) { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      await #expect(throws: TransportError.self) { _ = try await stream.next() }
      let second = try await client.openStream()
      try await second.subscribe(to: id)
      try await second.send([
        "type": "prompt", "sessionId": .string(id), "message": "hello", "clientTurnId": "t1",
        "requestId": "again",
      ])
      let acknowledgement = try await second.read { $0["requestId"] == "again" }.last
      #expect(acknowledgement?["duplicate"] == true)
    }
  }

  @Test("a message is ignored, and the next one is handled")
  func ignore() throws {
    try TestClient.run(.wrong(at: "prompt") { _ in .ignore }) { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      try await stream.send(["type": "get_state", "sessionId": .string(id)])
      #expect(try await stream.next()["type"] == "state")
    }
  }

  @Test("a stream is closed with any code")
  func close() throws {
    try TestClient.run(.wrong(at: "subscribe") { _ in .close(.goingAway, reason: "bye") }) {
      client in
      let id = try await client.createSession()
      let stream = try await client.openStream()
      await #expect(throws: TestStream.Closed(code: 1001, reason: "bye")) {
        try await stream.subscribe(to: id)
      }
      try await client.wait { $0.closeCodes == [1001] }
    }
  }

  @Test("the interceptor runs on the server's own thread")
  func oneThread() throws {
    let threads = Threads()
    var configuration = FakeServer.Configuration()
    configuration.interceptor = { _ in
      _ = threads.ids.withLock { $0.insert(pthread_self()) }
      return .proceed
    }
    try TestClient.run(configuration) { client in
      for prompt in ["hello", "child"] {
        let (stream, id) = try await client.openSubscribed()
        try await stream.prompt(prompt, in: id)
        try await stream.readRun()
      }
    }
    #expect(threads.ids.withLock(\.count) == 1)
    #expect(threads.ids.withLock { !$0.contains(pthread_self()) })
  }

  private final class Threads: Sendable {
    let ids = Mutex<Set<pthread_t>>([])
  }

  @Test("a stream is opened and stays silent", arguments: Dialect.allDialects)
  func silent(dialect: Dialect) throws {
    var configuration = FakeServer.Configuration()
    configuration.dialect = dialect
    configuration.interceptor = { step in
      if case .opened = step { .hang } else { .proceed }
    }
    try TestClient.run(configuration) { client in
      let id = try await client.createSession()
      let target = dialect == .multiplexed ? "/stream" : client.sessionPath(id, "/stream")
      let stream = try await client.connect(target)
      await #expect(throws: TransportError.self) {
        _ = try await stream.socket.receive(until: .now + .milliseconds(20))
      }
    }
  }

  @Test("a silent client is pinged, and disconnected if it does not answer")
  func keepalive() throws {
    var configuration = FakeServer.Configuration()
    configuration.limits.pingInterval = .milliseconds(5)
    try TestClient.run(configuration) { client in
      _ = try await client.openStream()
      try await client.wait { $0.endedConnections == 1 }
    }
  }
}

extension Dialect {
  fileprivate static let allDialects: [Dialect] = [.multiplexed, .perSession]
}
