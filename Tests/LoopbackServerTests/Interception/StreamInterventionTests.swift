// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiModel
import OppiTransport
import Synchronization
import TestSupport
import Testing
import WebSocketCodec

@testable import LoopbackServer

@Suite("Interventions at streams and messages")
struct StreamInterventionTests {
  /// A server that does one thing wrong, at messages of a type.
  private static func wrong(
    at type: String,
    _ intervention: @escaping @Sendable (JSONValue) -> Intervention
  ) -> LoopbackServer.Configuration {
    var configuration = LoopbackServer.Configuration()
    configuration.interceptor = { step in
      guard case .message(let message, _) = step, message["type"].string == type else {
        return .proceed
      }
      return intervention(message)
    }
    return configuration
  }

  private static func frame(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var random = SystemRandomNumberGenerator()
    FrameEncoder(role: .server)
      .encode(Frame(opcode: opcode, payload: payload), into: &bytes, using: &random)
    return bytes
  }

  @Test(
    "a message is refused in place of being handled",
    arguments: ["subscribe", "set_thinking_level", "prompt"]
  )
  func refuse(type: String) throws {
    try TestClient.run(Self.wrong(at: type) { .refuse($0, error: "no") }) { client in
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

  @Test("a stream hangs and is still journalled")
  func hang() throws {
    let hang: @Sendable (JSONValue) -> Intervention = {
      $0["clientTurnId"] == "t1" ? .hang : .proceed
    }
    try TestClient.run(Self.wrong(at: "prompt", hang)) { client in
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
    try TestClient.run(Self.wrong(at: "prompt") { _ in .drop }) { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      await #expect(throws: TransportError.self) { _ = try await stream.next() }
      let session = try await client.call("GET", client.sessionPath(id))["session"]
      #expect(session["messageCount"] == 0)
    }
  }

  @Test("a prompt runs, and its acknowledgement is lost; the repeat is a duplicate")
  func performThenDrop() throws {
    try TestClient.run(
      Self.wrong(at: "prompt") { $0["requestId"] == "p" ? .performThenDrop : .proceed }
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
    try TestClient.run(Self.wrong(at: "prompt") { _ in .ignore }) { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      try await stream.send(["type": "get_state", "sessionId": .string(id)])
      #expect(try await stream.next()["type"] == "state")
    }
  }

  @Test("a stream is closed with any code")
  func close() throws {
    try TestClient.run(Self.wrong(at: "subscribe") { _ in .close(.goingAway, reason: "bye") }) {
      client in
      let id = try await client.createSession()
      let stream = try await client.openStream()
      await #expect(throws: TestStream.Closed(code: 1001, reason: "bye")) {
        try await stream.subscribe(to: id)
      }
      try await client.wait { $0.closeCodes == [1001] }
    }
  }

  @Test(
    "raw bytes break the rules of the WebSocket",
    arguments: [
      [0x81, 0x80, 0, 0, 0, 0],  // masked
      [0xC1, 0x00],  // a reserved bit
      [0x81, 0x7F, 0x40, 0, 0, 0, 0, 0, 0, 0],  // 2^62 bytes
      [0x81, 0x01, 0xFF],  // not UTF-8
    ] as [[UInt8]]
  )
  func broken(bytes: [UInt8]) throws {
    try TestClient.run(Self.wrong(at: "subscribe") { _ in .send(bytes, then: .ignore) }) { client in
      let id = try await client.createSession()
      let stream = try await client.openStream()
      let error = await #expect(throws: TransportError.self) { try await stream.subscribe(to: id) }
      guard case .webSocketBroken? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test("a message need not be JSON")
  func notJSON() throws {
    let bytes = Self.frame(.text, Array("<html>".utf8))
    try TestClient.run(Self.wrong(at: "subscribe") { _ in .send(bytes, then: .hang) }) { client in
      let id = try await client.createSession()
      let stream = try await client.openStream()
      await #expect(throws: JSONError.self) { try await stream.subscribe(to: id) }
    }
  }

  @Test("fifty pings come before the right answer, and are answered")
  func pings() throws {
    let pings = (0..<50).flatMap { _ in Self.frame(.ping, []) }
    try TestClient.run(Self.wrong(at: "subscribe") { _ in .send(pings, then: .proceed) }) {
      client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      try await stream.readRun()
    }
  }

  @Test(
    "messages in fragments or pieces of seven bytes are the same messages",
    arguments: [Intervention.proceedFragmented(size: 7), .proceedInPieces(size: 7)]
  )
  func fragments(_ intervention: Intervention) throws {
    try TestClient.run(Self.wrong(at: "subscribe") { _ in intervention }) { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      let events = try await stream.readRun()
      #expect(events.all("message_end").last?["content"] == "The command printed: hi")
    }
  }

  @Test("a fragmented message is one on the wire, too")
  func fragmentsOnTheWire() throws {
    var configuration = LoopbackServer.Configuration()
    configuration.interceptor = { step in
      if case .opened = step { .proceedFragmented(size: 30) } else { .proceed }
    }
    try TestClient.run(configuration) { client in
      let text = try await client.upgrade { $0.hasSuffix("}") }
      // The first frame is text, not final, and has thirty bytes; the second continues it.
      #expect(text.contains("\r\n\r\n\u{1}\u{1E}{\""))
      #expect(text.contains("\u{FFFD}\u{13}"))
    }
  }

  @Test("every step is decided on the server's own thread")
  func oneThread() throws {
    let threads = Threads()
    var configuration = LoopbackServer.Configuration()
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

  @Test("a stream is opened and stays silent", arguments: PairedServer.Dialect.allDialects)
  func silent(dialect: PairedServer.Dialect) throws {
    var configuration = LoopbackServer.Configuration()
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

  @Test("a silent client is pinged, and cut when it does not answer")
  func keepalive() throws {
    var configuration = LoopbackServer.Configuration()
    configuration.limits.pingInterval = .milliseconds(5)
    try TestClient.run(configuration) { client in
      _ = try await client.openStream()
      try await client.wait { $0.endedConnections == 1 }
    }
  }
}

extension PairedServer.Dialect {
  fileprivate static let allDialects: [PairedServer.Dialect] = [.multiplexed, .perSession]
}
