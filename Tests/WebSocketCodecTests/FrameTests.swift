// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import WebSocketCodec

@Suite("MaskingKey")
struct MaskingKeyTests {
  private let key = MaskingKey(rawValue: 0x37FA_213D)

  @Test("byte i is XORed with byte i mod 4 of the key", arguments: 0...40)
  func definition(count: Int) {
    let original = (0..<count + 6).map { UInt8($0) }
    let keyBytes: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    var masked = original
    key.apply(to: &masked, in: 3..<3 + count)
    for index in original.indices {
      let isInside = 3..<3 + count ~= index
      let expected = isInside ? original[index] ^ keyBytes[(index - 3) % 4] : original[index]
      #expect(masked[index] == expected)
    }
  }

  @Test("masking in pieces with an advanced key equals masking at once", arguments: 0...20)
  func pieces(cut: Int) {
    var generator = SeededGenerator(seed: 7)
    let original = generator.bytes(20)
    var whole = original
    key.apply(to: &whole, in: 0..<20)
    var pieces = original
    key.apply(to: &pieces, in: 0..<cut)
    key.advanced(by: cut).apply(to: &pieces, in: cut..<20)
    #expect(pieces == whole)
  }

  @Test("a key has the generator's bits")
  func generated() {
    var generator = ConstantGenerator(value: 0x37FA_213D)
    #expect(MaskingKey(using: &generator) == key)
  }
}

@Suite("Frame, encoding")
struct FrameEncodingTests {
  @Test("the server's examples of RFC 6455 section 5.7 are encoded as listed there")
  func serverExamples() {
    #expect(wire([.text("Hello")], from: .server) == [0x81, 0x05] + Array("Hello".utf8))
    let fragments = [Frame.text("Hel", isFinal: false), .continuation("lo")]
    let expected = [0x01, 0x03] + Array("Hel".utf8) + [0x80, 0x02] + Array("lo".utf8)
    #expect(wire(fragments, from: .server) == expected)
    let ping = Frame(opcode: .ping, payload: Array("Hello".utf8))
    #expect(wire([ping], from: .server) == [0x89, 0x05] + Array("Hello".utf8))
  }

  @Test(
    "the client's examples of RFC 6455 section 5.7 are encoded as listed there",
    arguments: [(Opcode.text, 0x81), (Opcode.pong, 0x8A)] as [(Opcode, UInt8)]
  )
  func clientExamples(opcode: Opcode, firstByte: UInt8) {
    var generator = ConstantGenerator(value: 0x37FA_213D)
    var bytes: [UInt8] = []
    Frame(opcode: opcode, payload: Array("Hello".utf8))
      .encode(from: .client, into: &bytes, using: &generator)
    #expect(
      bytes == [firstByte, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    )
  }

  @Test(
    "a length has the shortest encoding",
    arguments: [
      (0, [0x82, 0]),
      (125, [0x82, 125]),
      (126, [0x82, 126, 0x00, 0x7E]),
      (256, [0x82, 126, 0x01, 0x00]),
      (65_535, [0x82, 126, 0xFF, 0xFF]),
      (65_536, [0x82, 127, 0, 0, 0, 0, 0, 0x01, 0x00, 0x00]),
    ] as [(Int, [UInt8])]
  )
  func lengths(count: Int, header: [UInt8]) {
    let payload = [UInt8](repeating: 9, count: count)
    let bytes = wire([Frame(opcode: .binary, payload: payload)], from: .server)
    #expect(bytes == header + payload)
  }

  @Test("each frame of a client has its own key")
  func freshKeys() {
    let bytes = wire(
      (0..<50).map { _ in Frame(opcode: .binary, payload: [0, 0, 0, 0]) },
      from: .client
    )
    let keys = stride(from: 0, to: bytes.count, by: 10).map { Array(bytes[$0 + 2..<$0 + 6]) }
    #expect(Set(keys).count == 50)
  }
}

@Suite("FrameQueue")
struct FrameQueueTests {
  private var generator = ConstantGenerator(value: 0)

  private func pong(_ number: Int) -> Frame {
    Frame(opcode: .pong, payload: Array("\(number)".utf8))
  }

  private func payloads(in bytes: [UInt8]) throws -> [String] {
    var client = WebSocketConnection(role: .client)
    return try client.events(from: bytes).map { event in
      switch event {
      case .text(let bytes), .pong(let bytes): String(decoding: bytes, as: UTF8.self)
      default: "\(event)"
      }
    }
  }

  @Test("frames keep their order and are taken once")
  mutating func order() throws {
    var queue = FrameQueue(role: .server)
    queue.append(.text("a"), using: &generator)
    queue.append(pong(1), using: &generator)
    #expect(try payloads(in: queue.take()) == ["a", "1"])
    #expect(queue.take() == [])
  }

  @Test("beyond the limit a new pong replaces the last queued pong")
  mutating func flood() throws {
    var queue = FrameQueue(role: .server)
    for number in 1...1000 { queue.append(pong(number), using: &generator) }
    let waiting = try payloads(in: queue.take())
    #expect(waiting == (1..<FrameQueue.maxPongs).map { "\($0)" } + ["1000"])
  }

  @Test("a pong never removes a message that is queued after the last pong")
  mutating func interleaved() throws {
    var queue = FrameQueue(role: .server)
    for number in 1...FrameQueue.maxPongs { queue.append(pong(number), using: &generator) }
    queue.append(.text("message"), using: &generator)
    queue.append(pong(100), using: &generator)
    queue.append(pong(101), using: &generator)
    #expect(try payloads(in: queue.take()).suffix(3) == ["64", "message", "101"])
  }

  @Test("taking the queued frames makes room for pongs")
  mutating func room() throws {
    var queue = FrameQueue(role: .server)
    for number in 1...100 { queue.append(pong(number), using: &generator) }
    _ = queue.take()
    queue.append(pong(101), using: &generator)
    queue.append(pong(102), using: &generator)
    #expect(try payloads(in: queue.take()) == ["101", "102"])
  }
}

/// A generator that always returns the same number, for exact masking keys.
struct ConstantGenerator: RandomNumberGenerator {
  let value: UInt64

  func next() -> UInt64 { value }
}
