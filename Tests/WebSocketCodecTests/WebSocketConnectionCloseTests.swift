// SPDX-License-Identifier: MIT

import TestSupport
import Testing
import WebSocketCodec

@Suite("WebSocketConnection, closing")
struct WebSocketConnectionCloseTests {
  private var generator = SeededGenerator(seed: 5)

  @Test("both sides reach the closed state, whichever starts", arguments: [Role.client, .server])
  mutating func handshake(role: Role) throws {
    var first = WebSocketConnection(role: role)
    var second = WebSocketConnection(role: role.opposite)
    first.close(.goingAway, reason: "bye", using: &generator)
    #expect(first.state == .closing)
    #expect(
      try second.events(from: first.takeOutbound()) == [.closed(.goingAway, reason: "bye")]
    )
    #expect(second.state == .closed)
    #expect(try first.events(from: second.takeOutbound()) == [.closed(.goingAway, reason: "")])
    #expect(first.state == .closed)
    #expect(first.outbound == [] && second.outbound == [])
  }

  @Test("close frames that cross get no further answer")
  mutating func crossing() throws {
    var client = WebSocketConnection(role: .client)
    var server = WebSocketConnection(role: .server)
    client.close(using: &generator)
    server.close(.goingAway, using: &generator)
    let fromClient = client.takeOutbound()
    #expect(try client.events(from: server.takeOutbound()) == [.closed(.goingAway, reason: "")])
    #expect(try server.events(from: fromClient) == [.closed(.normalClosure, reason: "")])
    #expect(client.state == .closed && server.state == .closed)
    #expect(client.outbound == [] && server.outbound == [])
  }

  @Test("a close frame without a code, also within a message, is answered by one without a code")
  func noCode() throws {
    var connection = WebSocketConnection(role: .server)
    // The unfinished message is lost.
    let frames = [.text("one", isFinal: false), Frame(opcode: .close, payload: [])]
    #expect(try connection.events(from: wire(frames, from: .client)) == [.closed(nil, reason: "")])
    #expect(connection.outbound == [0x88, 0x00])
  }

  @Test("a close frame without a code can be sent")
  mutating func sendNoCode() {
    var connection = WebSocketConnection(role: .server)
    connection.close(nil, using: &generator)
    #expect(connection.outbound == [0x88, 0x00])
  }

  @Test("messages in transit are received until the other side's close frame")
  mutating func closing() throws {
    var connection = WebSocketConnection(role: .client)
    connection.close(using: &generator)
    _ = connection.takeOutbound()
    let frames = [Frame.text("late"), Frame(opcode: .ping, payload: []), .close(1000)]
    #expect(
      try connection.events(from: wire(frames, from: .server)) == [
        .text(Array("late".utf8)), .ping([]), .closed(.normalClosure, reason: ""),
      ]
    )
    #expect(connection.outbound == [])
  }

  @Test("nothing is sent after the close frame")
  mutating func refused() {
    var connection = WebSocketConnection(role: .client)
    connection.close(using: &generator)
    let sent = connection.outbound
    let isSent = connection.send(text: "x", using: &generator)
    connection.ping(using: &generator)
    connection.close(using: &generator)
    #expect(!isSent)
    #expect(connection.outbound == sent)
  }

  @Test("bytes after the close frame are an error")
  mutating func dataAfterClose() throws {
    var connection = WebSocketConnection(role: .client)
    connection.receive(wire([.close(1000), .text("more")], from: .server))
    #expect(
      try connection.next(using: &generator) == .closed(.normalClosure, reason: "")
    )
    _ = connection.takeOutbound()
    #expect(throws: ProtocolError.dataAfterClose) { try connection.next(using: &generator) }
    #expect(connection.outbound == [])
  }
}
