// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiText
import OppiWire
import Simulation
import Synchronization
import Testing

@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

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
  func unknown() {
    inFlowWorld(.multiplexed, where: \.interceptor, is: Self.flood(["type": "mystery"])) {
      flow in
      let socket = try await flow.calls.openMultiplexed()
      var kinds: [ServerMessage.Kind] = []
      let end = flow.world.loop.now + .milliseconds(200)
      let failure = await #expect(throws: OppiError.self) {
        while true { kinds.append(try await socket.receive(until: end).message.kind) }
      }
      #expect(failure?.reason == .noAnswer)
      #expect(kinds.allSatisfy { $0 == .streamConnected }, "\(kinds)")
      await socket.close()
    }
  }

  @Test("what arrives before the delivery is bounded; beyond that nothing is kept")
  func backlog() {
    var backlog = EarlyMessages()
    let message = ServerMessage(.textDelta("x"))
    for _ in 0..<100 { backlog.append(message, size: 10_000) }
    #expect(backlog.messages.count == 100 && !backlog.isCut)
    for _ in 0..<1000 { backlog.append(message, size: 10_000) }
    #expect(backlog.messages.isEmpty && backlog.isCut)
    var small = EarlyMessages()
    for _ in 0..<100_000 { small.append(ServerMessage(.agentStart), size: 21) }
    #expect(small.messages.isEmpty && small.isCut)
  }

  @Test(
    "a turn is awaited although the server sent more than is kept",
    arguments: Dialect.withTokens
  )
  func cut(dialect: Dialect) {
    let long = JSONValue.object([
      "type": "thinking_delta", "delta": .string(String(repeating: "x", count: 60_000)),
    ])
    let flood = (0..<200).flatMap { [bytes = Self.frame(long.bytes())] _ in bytes }
    inFlowWorld(dialect) { configuration in
      let isOver = Atomic(false)
      configuration.interceptor = { step in
        guard step.isPrompt, !isOver.exchange(true, ordering: .relaxed) else {
          return .proceed
        }
        return .send(flood, then: .proceed)
      }
    } _: { flow in
      var network = Faults.none
      network.window = 1 << 20
      flow.world.set(network)
      let delivery = try await flow.ask("hello", waitingForTurn: true)
      let stream = try #require(delivery.stream)
      #expect(stream.socket == nil && stream.backlog.isEmpty)
      var watch = TurnWatch(
        session: flow.session(of: delivery.outcome),
        api: try await flow.api,
        turnOf: delivery.outcome,
        prompt: "hello",
        isNewSession: true,
        adopting: stream
      )
      var observer: any TurnObserver = Blind()
      let ending = try await watch.run(&observer)
      #expect(ending.answer != nil, "\(ending)")
    }
  }

  private struct Blind: TurnObserver {
    func show(_: [ActivityChange], _: Turn, at: Timestamp, isPast: Bool) {}
    func note(_: String) {}
    func end() {}
  }
}
