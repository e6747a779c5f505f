// SPDX-License-Identifier: MIT

import Testing

@testable import WebSocketCodec

@Suite("FrameQueue")
struct FrameQueueTests {
  private var generator = ConstantGenerator(value: 0)

  private func pong(_ number: Int) -> Frame {
    Frame(opcode: .pong, payload: Array("\(number)".utf8))
  }

  private func payloads(in bytes: [UInt8]) throws -> [String] {
    var reader = FrameReader(role: .client)
    return try reader.read(bytes).map { String(decoding: $0.payload, as: UTF8.self) }
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
