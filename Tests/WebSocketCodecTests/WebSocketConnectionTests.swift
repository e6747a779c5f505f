// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import WebSocketCodec

@Suite("WebSocketConnection")
struct WebSocketConnectionTests {
  private var generator = SeededGenerator(seed: 3)

  private static let stream: [Frame] = [
    .text("Hel", isFinal: false),
    Frame(opcode: .ping, payload: [1, 2]),
    .continuation("lo", isFinal: false),
    Frame(opcode: .pong, payload: []),
    .continuation(" κόσμε"),
    Frame(opcode: .binary, payload: Array(0...255)),
    .close(1001, "Server shutting down"),
  ]

  private static let events: [WebSocketConnection.Event] = [
    .ping([1, 2]),
    .pong([]),
    .text(Array("Hello κόσμε".utf8)),
    .binary(Array(0...255)),
    .closed(.goingAway, reason: "Server shutting down"),
  ]

  @Test("a stream cut at any byte gives the same events and the same answers")
  func anyCut() throws {
    let bytes = wire(Self.stream, from: .server)
    var whole = WebSocketConnection(role: .client)
    #expect(try whole.events(from: bytes) == Self.events)
    for cut in 0...bytes.count {
      var connection = WebSocketConnection(role: .client)
      let events = try connection.events(from: bytes[..<cut])
      #expect(try events + connection.events(from: bytes[cut...]) == Self.events)
      var peer = WebSocketConnection(role: .server)
      let answers = try peer.events(from: connection.takeOutbound())
      #expect(answers == [.pong([1, 2]), .closed(.goingAway, reason: "")])
      #expect(connection.state == .closed)
    }
  }

  @Test("one side receives what the other side sends", arguments: 1...25 as ClosedRange<UInt64>)
  mutating func roundTrip(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    var client = WebSocketConnection(role: .client)
    var server = WebSocketConnection(role: .server)
    var sent: [WebSocketConnection.Event] = []
    for _ in 0..<20 {
      let payload = generator.bytes(.random(in: 0...300, using: &generator))
      if Bool.random(using: &generator) {
        let text = String(decoding: payload, as: UTF8.self)
        client.send(text: text, using: &generator)
        sent.append(.text(Array(text.utf8)))
      } else {
        client.ping(using: &generator)
        sent.append(.ping([]))
      }
    }
    let size = Int.random(in: 1...500, using: &generator)
    #expect(try server.events(from: client.takeOutbound(), inPiecesOf: size) == sent)
    let pongs = sent.compactMap { event -> WebSocketConnection.Event? in
      if case .ping(let payload) = event { .pong(payload) } else { nil }
    }
    #expect(try client.events(from: server.takeOutbound(), inPiecesOf: size) == pongs)
  }

  @Test("fragments form one message, also empty ones and those that split a character")
  func fragments() throws {
    let euro = Array("€".utf8)
    let frames: [Frame] = [
      .text("Hel", isFinal: false), .continuation("", isFinal: false), .continuation("lo"),
      .text(""), Frame(opcode: .binary, payload: []),
      Frame(opcode: .binary, payload: [0xFF, 0xC3]),
      Frame(isFinal: false, opcode: .text, payload: Array(euro[..<1])),
      Frame(opcode: .continuation, payload: Array(euro[1...])),
    ]
    var connection = WebSocketConnection(role: .client)
    #expect(
      try connection.events(from: wire(frames, from: .server)) == [
        .text(Array("Hello".utf8)), .text([]), .binary([]), .binary([0xFF, 0xC3]), .text(euro),
      ]
    )
  }

  @Test("the limit applies to each message with all its fragments, and includes its last byte")
  func limit() throws {
    let frames = [Frame.text("aaaa", isFinal: false), .continuation("bbbb")]
    let whole = Frame(opcode: .binary, payload: [UInt8](repeating: 1, count: 8))
    let bytes = wire(frames + [whole] + frames, from: .server)
    var connection = WebSocketConnection(role: .client, maxMessage: 8)
    #expect(try connection.events(from: bytes).count == 3)
  }

  @Test("frames of a client are unmasked, as in the example of RFC 6455 section 5.7")
  func masked() throws {
    var connection = WebSocketConnection(role: .server)
    let bytes: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    #expect(try connection.events(from: bytes) == [.text(Array("Hello".utf8))])
    let long = Frame(opcode: .binary, payload: [UInt8](repeating: 0xA5, count: 70_000))
    let rest = wire([long], from: .client)
    #expect(try connection.events(from: rest, inPiecesOf: 7) == [.binary(long.payload)])
  }

  @Test("read bytes are discarded")
  func bounded() throws {
    var reader = MessageReader(role: .client, maxMessage: 100)
    // The last byte of each piece begins the next frame, so one byte is always unread.
    reader.receive([0x82])
    for _ in 0..<1000 {
      reader.receive([0x01, 0x2A, 0x82])
      #expect(try reader.next() == .binary([0x2A]))
      #expect(try reader.next() == nil)
      #expect(reader.buffer.count < 20)
    }
  }

  @Test("a ping may have 125 bytes")
  func longestPing() throws {
    let ping = Frame(opcode: .ping, payload: [UInt8](repeating: 7, count: 125))
    var connection = WebSocketConnection(role: .client)
    #expect(try connection.events(from: wire([ping], from: .server)) == [.ping(ping.payload)])
  }

  @Test("a flood of pings uses bounded memory, and the latest is answered")
  func pingFlood() throws {
    let pings = (0..<5000).map { Frame(opcode: .ping, payload: Array("\($0)".utf8)) }
    var connection = WebSocketConnection(role: .client)
    _ = try connection.events(from: wire(pings, from: .server))
    #expect(connection.outbound.count < 1000)
    var peer = WebSocketConnection(role: .server)
    #expect(try peer.events(from: connection.outbound).last == .pong(Array("4999".utf8)))
  }

  @Test(
    "a message of 60 MB in small pieces takes linear time",
    arguments: [Opcode.text, .binary]
  )
  func largeMessage(opcode: Opcode) throws {
    let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 60_000_000)
    let bytes = wire([Frame(opcode: opcode, payload: payload)], from: .client)
    var connection = WebSocketConnection(role: .server, maxMessage: 64 << 20)
    var generator = SeededGenerator(seed: 1)
    var received: [WebSocketConnection.Event] = []
    // Moving the whole message for each piece would move about a terabyte.
    for start in stride(from: 0, to: bytes.count, by: 2048) {
      connection.receive(bytes[start..<min(start + 2048, bytes.count)])
      while let event = try connection.next(using: &generator) { received.append(event) }
    }
    #expect(received == [opcode == .text ? .text(payload) : .binary(payload)])
  }
}

extension WebSocketConnection {
  /// Receives bytes in pieces of a size and returns all events.
  mutating func events(
    from bytes: some Collection<UInt8>,
    inPiecesOf size: Int = .max
  ) throws -> [Event] {
    var generator = SeededGenerator(seed: 1)
    var events: [Event] = []
    var rest = Array(bytes)[...]
    repeat {
      receive(rest.prefix(size))
      rest = rest.dropFirst(size)
      while let event = try next(using: &generator) { events.append(event) }
    } while !rest.isEmpty
    return events
  }
}

/// Encodes frames as the given side sends them.
func wire(_ frames: [Frame], from role: Role) -> [UInt8] {
  var generator = SeededGenerator(seed: 2)
  var bytes: [UInt8] = []
  for frame in frames { frame.encode(from: role, into: &bytes, using: &generator) }
  return bytes
}

extension Frame {
  static func text(_ text: String, isFinal: Bool = true) -> Frame {
    Frame(isFinal: isFinal, opcode: .text, payload: Array(text.utf8))
  }

  static func continuation(_ text: String, isFinal: Bool = true) -> Frame {
    Frame(isFinal: isFinal, opcode: .continuation, payload: Array(text.utf8))
  }

  static func close(_ code: UInt16, _ reason: String = "") -> Frame {
    Frame(
      opcode: .close,
      payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
    )
  }
}
