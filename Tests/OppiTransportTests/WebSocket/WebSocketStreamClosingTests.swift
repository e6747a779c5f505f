// SPDX-License-Identifier: MIT

import EventLoop
import TestSupport
import Testing
import WebSocketCodec

@testable import OppiTransport

@Suite("WebSocketStream, closing")
struct WebSocketStreamClosingTests {
  private func isClosed(
    _ incoming: WebSocketStream.Incoming,
    _ code: CloseCode?,
    _ reason: String = ""
  ) -> Bool {
    guard case .closed(let foundCode, let foundReason) = incoming else { return false }
    return foundCode == code && foundReason == reason
  }

  @Test("closing sends a close frame and waits for the answer")
  func closing() throws {
    let talk = try converse { accepted, _ in
      try await accepted.openWebSocket().receive(until: .farOff)
    } client: { port, loop in
      let client = try await WebSocketStream.connect(port, on: loop)
      await client.close()
      await #expect(throws: TransportError.closed(.request)) { try await client.send("late") }
    }
    #expect(isClosed(try talk.server.get(), .normalClosure))
    try talk.client.get()
  }

  @Test(
    "an end without a close frame fails as closed, even within a frame",
    arguments: [0, 1, 5]
  )
  func cut(bytes: Int) throws {
    let talk = try converse { accepted, _ in
      let peer = try await accepted.openWebSocketPeer()
      try await peer.stream.write(Array([0x81, 5, 1, 2, 3].prefix(bytes)))
    } client: { port, loop in
      _ = try await WebSocketStream.connect(port, on: loop).receive(until: .farOff)
    }
    #expect(throws: TransportError.closed(.answer)) { try talk.client.get() }
  }

  @Test("messages before a reset are received, even if a ping cannot be answered")
  func lastMessageBeforeReset() throws {
    let talk = try converse { accepted, _ in
      let peer = try await accepted.openWebSocketPeer()
      // The client has sent its message and does not read yet.
      _ = try await peer.stream.read()
      try await peer.send(
        Frame(opcode: .ping, payload: []),
        Frame(opcode: .text, payload: Array("accepted".utf8))
      )
      accepted.socket.resetsOnClose()
    } client: { port, loop in
      let client = try await WebSocketStream.connect(port, on: loop)
      try await client.send("ask")
      try await loop.sleep(until: .now + .milliseconds(20))
      let text = try await client.text()
      await #expect(throws: TransportError.closed(.answer)) { try await client.text() }
      return text
    }
    #expect(try talk.client.get() == "accepted")
  }

  @Test("closing does not wait long for a peer that does not answer")
  func deafServer() throws {
    let talk = try converse { accepted, _ in
      let peer = try await accepted.openWebSocketPeer()
      return try await peer.stream.read(count: 1000).count
    } client: { port, loop in
      let client = try await WebSocketStream.connect(port, on: loop)
      await client.close()
    }
    // The close frame: a header, a key and the code.
    #expect(try talk.server.get() == 8)
    try talk.client.get()
  }

  @Test("a cancelled task still sends a close frame")
  func cancelled() throws {
    let talk = try converse { accepted, _ in
      try await accepted.openWebSocket().receive(until: .farOff)
    } client: { port, loop in
      let client = try await WebSocketStream.connect(port, on: loop)
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await #expect(throws: TransportError.cancelled) { try await client.text() }
          await client.close()
        }
        await Task.yield()
        group.cancelAll()
      }
    }
    try talk.client.get()
    #expect(isClosed(try talk.server.get(), .normalClosure))
  }

  @Test("after a truncated message, nothing more is sent")
  func cutOffMessage() throws {
    let large = String(repeating: "x", count: 16 << 20)
    try onLoop { loop in
      let isOver = AsyncStream<Void>.makeStream()
      let talk = try await Conversation(on: loop) { accepted in
        var peer = try await accepted.openWebSocketPeer()
        // Reads nothing until the client has given up.
        for await _ in isOver.stream {}
        return try await peer.next()
      } client: { port in
        let client = try await WebSocketStream.connect(port, on: loop)
        await #expect(throws: TransportError.timedOut(.request)) {
          try await client.send([large], until: .now + .milliseconds(50))
        }
        await #expect(throws: TransportError.timedOut(.request)) {
          try await client.send("would be taken for the rest of it")
        }
        await client.close()
        isOver.continuation.finish()
      }
      try talk.client.get()
      #expect(try talk.server.get() == nil)
    }
  }

  @Test("after a violation of the protocol, nothing is received or sent")
  func brokenRule() throws {
    let talk = try converse { accepted, _ in
      var peer = try await accepted.openWebSocketPeer()
      try await peer.stream.write([0xC1, 0])
      return [try await peer.next(), try await peer.next()]
    } client: { port, loop in
      let client = try await WebSocketStream.connect(port, on: loop)
      for _ in 0..<2 {
        await #expect(throws: TransportError.webSocketBroken(.reservedBits)) {
          try await client.text()
        }
      }
      await #expect(throws: TransportError.closed(.request)) { try await client.send("x") }
      await client.close()
    }
    try talk.client.get()
    #expect(
      try talk.server.get() == [.closed(.protocolError, reason: "reserved bits are set"), nil]
    )
  }
}
