// SPDX-License-Identifier: MIT

import Testing
import WebSocketCodec

@Suite("MessageAssembler")
struct MessageAssemblerTests {
  private func messages(
    from frames: [Frame],
    maxMessage: Int = 1000
  ) throws -> [Message] {
    var decoder = FrameDecoder(role: .client, maxFrame: 1000)
    var assembler = MessageAssembler(maxMessage: maxMessage)
    decoder.receive(wire(frames, from: .server))
    var messages: [Message] = []
    while let part = try decoder.next() {
      if let message = try assembler.add(part) { messages.append(message) }
    }
    return messages
  }

  @Test("fragments form one message")
  func fragments() throws {
    let frames = [Frame.text("Hel", isFinal: false), .continuation("", isFinal: false)]
    #expect(try messages(from: frames + [.continuation("lo")]) == [.text(Array("Hello".utf8))])
    #expect(try messages(from: frames) == [])
  }

  @Test("control frames between fragments are returned at once and change nothing")
  func controlBetween() throws {
    let frames: [Frame] = [
      .text("Hel", isFinal: false),
      Frame(opcode: .ping, payload: [1]),
      .continuation("l", isFinal: false),
      Frame(opcode: .pong, payload: [0xFF]),
      .continuation("o"),
      Frame(opcode: .binary, payload: [2]),
    ]
    #expect(
      try messages(from: frames) == [
        .ping([1]), .pong([0xFF]), .text(Array("Hello".utf8)), .binary([2]),
      ]
    )
  }

  @Test("empty messages are returned")
  func empty() throws {
    let frames = [.text(""), Frame(opcode: .binary, payload: [])]
    #expect(try messages(from: frames) == [.text([]), .binary([])])
  }

  @Test("a continuation without an open message is an error")
  func unexpectedContinuation() {
    #expect(throws: ProtocolError.unexpectedContinuation) {
      try messages(from: [.continuation("x")])
    }
    #expect(throws: ProtocolError.unexpectedContinuation) {
      try messages(from: [.text("a", isFinal: false), .continuation("b"), .continuation("c")])
    }
  }

  @Test("a message inside another is an error")
  func interleaved() {
    #expect(throws: ProtocolError.interleavedMessage) {
      try messages(from: [.text("a", isFinal: false), .text("b")])
    }
    #expect(throws: ProtocolError.interleavedMessage) {
      try messages(from: [.text("a", isFinal: false), Frame(opcode: .binary, payload: [])])
    }
  }

  @Test("the limit applies to all fragments of a message together")
  func limit() throws {
    let frames = [Frame.text("aaaa", isFinal: false), .continuation("bbbb")]
    #expect(try messages(from: frames + frames, maxMessage: 8).count == 2)
    #expect(throws: ProtocolError.messageTooLarge) { try messages(from: frames, maxMessage: 7) }
  }

  @Test("a message over the limit is rejected before its payload arrives")
  func limitBeforePayload() throws {
    var decoder = FrameDecoder(role: .client, maxFrame: 1000)
    var assembler = MessageAssembler(maxMessage: 10)
    decoder.receive([0x82, 11])
    let header = try #require(try decoder.next())
    #expect(throws: ProtocolError.messageTooLarge) { try assembler.add(header) }
  }

  @Test("fragments may split a character, but the end of a message may not")
  func cutCharacters() throws {
    let euro = Array("€".utf8)
    let first = Frame(isFinal: false, opcode: .text, payload: Array(euro[..<1]))
    let last = Frame(opcode: .continuation, payload: Array(euro[1...]))
    #expect(try messages(from: [first, last]) == [.text(euro)])
    #expect(throws: ProtocolError.invalidUTF8) {
      try messages(from: [Frame(opcode: .text, payload: Array(euro[..<2]))])
    }
    #expect(throws: ProtocolError.invalidUTF8) {
      try messages(from: [first, .continuation("x")])
    }
  }

  @Test("binary messages need not be UTF-8")
  func binary() throws {
    #expect(
      try messages(from: [Frame(opcode: .binary, payload: [0xFF, 0xC3])]) == [
        .binary([0xFF, 0xC3])
      ]
    )
  }
}
