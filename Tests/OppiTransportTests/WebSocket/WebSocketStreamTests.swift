// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import TestSupport
import Testing
import WebSocketCodec

@testable import OppiTransport

@Suite("WebSocketStream")
struct WebSocketStreamTests {
  @Test("messages of any length are transferred in both directions")
  func messages() throws {
    let texts = ["", "a", "κόσμε 🌍", String(repeating: "größer ", count: 100_000), "last"]
    let talk = try converse { accepted, _ in
      let server = try await accepted.openWebSocket()
      var received: [String] = []
      while let text = try await server.text() {
        received.append(text)
        try await server.send(text, text)
      }
      return received
    } client: { port, loop in
      let client = try await WebSocketStream.connect(port, on: loop)
      var received: [String] = []
      for text in texts {
        try await client.send(text)
        for _ in 0..<2 { received.append(try await client.text() ?? "closed") }
      }
      await client.close()
      return received
    }
    #expect(try talk.server.get() == texts)
    #expect(try talk.client.get() == texts.flatMap { [$0, $0] })
  }

  /// How the bytes of a server follow its answer to the handshake.
  enum Cutting: CaseIterable, Sendable {
    case inOneWrite
    case behindTheAnswer
    case byteByByte

    func writes(_ bytes: [UInt8], after answer: [UInt8]) -> [[UInt8]] {
      switch self {
      case .inOneWrite: [answer, bytes]
      case .behindTheAnswer: [answer + bytes]
      case .byteByByte: [answer] + bytes.map { [$0] }
      }
    }
  }

  @Test(
    "pings are answered and binary messages skipped, however the bytes are split",
    arguments: Cutting.allCases
  )
  func frames(cutting: Cutting) throws {
    let frames: [Frame] = [
      Frame(opcode: .ping, payload: [0xFF]), Frame(opcode: .binary, payload: [0xFE]),
      Frame(opcode: .pong, payload: []), Frame(opcode: .text, payload: Array("text".utf8)),
    ]
    let talk = try converse { accepted, _ in
      let stream = try await accepted.open()
      let answer = try HTTPResponse.switching(for: try await stream.readRequest()).encoded()
      for write in cutting.writes(WebSocketPeer.bytes(of: frames), after: answer) {
        try await stream.write(write)
      }
      var peer = WebSocketPeer(over: SharedStream(stream))
      return [try await peer.next(), try await peer.next()]
    } client: { port, loop in
      let client = try await WebSocketStream.connect(port, on: loop)
      let text = try await client.text()
      await client.close()
      return text
    }
    #expect(try talk.client.get() == "text")
    #expect(try talk.server.get() == [.pong([0xFF]), .closed(.normalClosure, reason: "")])
  }

  @Test("several messages of one call are sent in one write")
  func oneWrite() throws {
    let talk = try converse { accepted, _ in
      let peer = try await accepted.openWebSocketPeer()
      return try await peer.stream.read().count
    } client: { port, loop in
      try await WebSocketStream.connect(port, on: loop).send("one", "two", "three")
    }
    // Each text follows a header of two bytes and a key of four.
    #expect(try talk.server.get() == 3 * 6 + 11)
  }

  @Test("messages of concurrent senders are not mixed")
  func concurrentSenders() throws {
    let senders = 20
    let talk = try converse { accepted, _ in
      let server = try await accepted.openWebSocket()
      var received: [String] = []
      while let text = try await server.text() { received.append(text) }
      return received
    } client: { port, loop in
      let client = try await WebSocketStream.connect(port, on: loop)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for sender in 0..<senders {
          group.addTask {
            let text = String(repeating: "\(sender),", count: 30_000)
            for _ in 0..<5 { try await client.send(text, "\(sender)") }
          }
        }
        try await group.waitForAll()
      }
      await client.close()
    }
    try talk.client.get()
    let received = try talk.server.get()
    #expect(received.count == senders * 10)
    for sender in 0..<senders {
      let text = String(repeating: "\(sender),", count: 30_000)
      #expect(received.count { $0 == text } == 5)
      #expect(received.count { $0 == "\(sender)" } == 5)
    }
  }

  @Test(
    "a message that is sent while another one is being written follows it without a further one"
  )
  func sentMeanwhile() throws {
    let long = String(repeating: "x", count: 8 << 20)
    let talk = try converse { accepted, _ in
      let server = try await accepted.openWebSocket()
      let texts = [try await server.text(), try await server.text()]
      try await server.send("answer")
      return texts
    } client: { port, loop in
      let client = try await WebSocketStream.connect(port, on: loop)
      // What begins to receive sends what is left.
      async let answer = client.text()
      await Task.yield()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await client.send(long) }
        group.addTask { try await client.send("short") }
        try await group.waitForAll()
      }
      return try await answer
    }
    #expect(try talk.client.get() == "answer")
    #expect(try talk.server.get() == [long, "short"])
  }

  @Test("a receive that times out keeps the connection open")
  func deadline() throws {
    let talk = try converse { accepted, _ in
      let server = try await accepted.openWebSocket()
      let text = try await server.text()
      try await server.send("late")
      return text
    } client: { port, loop in
      let client = try await WebSocketStream.connect(port, on: loop)
      await #expect(throws: TransportError.timedOut(.answer)) {
        try await client.receive(until: .now + .milliseconds(10))
      }
      try await client.send("still here")
      return try await client.text()
    }
    #expect(try talk.server.get() == "still here")
    #expect(try talk.client.get() == "late")
  }
}
