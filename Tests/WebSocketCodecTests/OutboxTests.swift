// SPDX-License-Identifier: MIT

import Testing

@testable import WebSocketCodec

@Suite("Outbox")
struct OutboxTests {
  private var generator = ConstantGenerator(value: 0)

  private func pong(_ number: Int) -> Frame {
    Frame(opcode: .pong, payload: Array("\(number)".utf8))
  }

  private func payloads(in bytes: [UInt8]) throws -> [String] {
    var reader = FrameReader(role: .client)
    return try reader.read(bytes).map { String(decoding: $0.payload, as: UTF8.self) }
  }

  @Test("frames wait in their order and are taken once")
  mutating func order() throws {
    var outbox = Outbox(role: .server)
    outbox.append(.text("a"), using: &generator)
    outbox.append(pong(1), using: &generator)
    #expect(try payloads(in: outbox.take()) == ["a", "1"])
    #expect(outbox.take() == [])
  }

  @Test("beyond the limit of waiting pongs only the latest is kept")
  mutating func flood() throws {
    var outbox = Outbox(role: .server)
    for number in 1...1000 { outbox.append(pong(number), using: &generator) }
    let waiting = try payloads(in: outbox.take())
    #expect(waiting == (1..<Outbox.maxPongs).map { "\($0)" } + ["1000"])
  }

  @Test("a pong never takes away a message after the last pong")
  mutating func interleaved() throws {
    var outbox = Outbox(role: .server)
    for number in 1...Outbox.maxPongs { outbox.append(pong(number), using: &generator) }
    outbox.append(.text("message"), using: &generator)
    outbox.append(pong(100), using: &generator)
    outbox.append(pong(101), using: &generator)
    #expect(try payloads(in: outbox.take()).suffix(3) == ["64", "message", "101"])
  }

  @Test("taking what waits makes room for pongs again")
  mutating func room() throws {
    var outbox = Outbox(role: .server)
    for number in 1...100 { outbox.append(pong(number), using: &generator) }
    _ = outbox.take()
    outbox.append(pong(101), using: &generator)
    outbox.append(pong(102), using: &generator)
    #expect(try payloads(in: outbox.take()) == ["101", "102"])
  }
}
