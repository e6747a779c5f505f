// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiTransport
import Synchronization
import TestSupport
import Testing
import WebSocketCodec

@testable import Oppi

@Suite("Floods on streams") struct FloodFlowTests {
  /// Sends a message for ever from the opening of each stream.
  private static func flood(_ message: JSONValue) -> Interceptor {
    let bytes = (0..<100).flatMap { _ in frame(message.bytes()) }
    return { step in
      if case .opened = step { .flood { _ in bytes } } else { .proceed }
    }
  }

  private static func frame(_ payload: [UInt8]) -> [UInt8] {
    payload.count < 126
      ? [0x81, UInt8(payload.count)] + payload
      : [0x81, 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
  }

  @Test("unknown messages are not returned, and do not delay the deadline")
  func unknown() async throws {
    let bench = try Bench(.multiplexed) { $0.interceptor = Self.flood(["type": "mystery"]) }
    try await bench.run { desk in
      let socket = try await IntentWebSocket.openMultiplexed(desk.direct.until(.farOff))
      var kinds: [ServerMessage.Kind] = []
      let failure = await #expect(throws: OppiError.self) {
        while true {
          let next = try await socket.receive(until: bench.loop.now + .milliseconds(100))
          kinds.append(next.message.kind)
        }
      }
      #expect(failure?.reason == .noAnswer)
      #expect(kinds.allSatisfy { $0 == .streamConnected }, "\(kinds)")
      await socket.close()
    }
  }

  @Test("what arrives before the delivery is bounded; beyond that nothing is kept")
  func backlog() {
    var backlog = HandoverBacklog()
    let message = ServerMessage(.textDelta("x"))
    for _ in 0..<100 { backlog.append(message, size: 10_000) }
    #expect(backlog.messages.count == 100 && !backlog.isCut)
    for _ in 0..<1000 { backlog.append(message, size: 10_000) }
    #expect(backlog.messages.isEmpty && backlog.isCut)
  }

  @Test("many small messages are bounded, too")
  func small() {
    var backlog = HandoverBacklog()
    for _ in 0..<100_000 { backlog.append(ServerMessage(.agentStart), size: 21) }
    #expect(backlog.messages.isEmpty && backlog.isCut)
  }

  @Test(
    "a turn is awaited although the server sent more than is kept",
    arguments: Bench.allDialects
  )
  func cut(dialect: Dialect) async throws {
    let long = JSONValue.object([
      "type": "thinking_delta", "delta": .string(String(repeating: "x", count: 60_000)),
    ])
    let bytes = Self.frame(long.bytes())
    let bench = try Bench(dialect) { configuration in
      let isFirst = Mutex(true)
      configuration.interceptor = { step in
        guard case .message(let json, _) = step, json["type"] == "prompt",
          isFirst.withLock({ first in
            defer { first = false }
            return first
          })
        else { return .proceed }
        return .send((0..<200).flatMap { _ in bytes }, then: .proceed)
      }
    }
    try await bench.run { desk in
      let delivery = try await desk.ask("hello", waitingForTurn: true)
      let stream = try #require(delivery.stream)
      #expect(stream.socket == nil && stream.backlog.isEmpty)
      var watch = TurnWatch(
        session: desk.session(of: delivery.outcome),
        api: desk.direct,
        turnOf: delivery.outcome,
        prompt: "hello",
        isNewSession: true,
        adopting: stream
      )
      var observer: any TurnObserver = Blind()
      let ending = try await watch.run(&observer)
      guard case .turn(.succeeded) = ending else {
        Issue.record("\(ending)")
        return
      }
    }
  }

  private struct Blind: TurnObserver {
    func show(_: [ActivityChange], _: Turn, at: Timestamp, isPast: Bool) {}
    func note(_: String) {}
    func end() {}
  }
}
