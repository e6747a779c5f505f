// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import TestSupport
import Testing

@testable import FakeServer

@Suite("MessageQueue")
struct MessageQueueTests {
  @Test("steering messages come before follow-ups, and each change increments the version")
  func order() {
    let loop = EventLoop(on: ManualKernel())
    var queue = MessageQueue()
    queue.append(.init(message: "later", clientTurnID: "f", on: loop), as: .followUp)
    queue.append(.init(message: "now", clientTurnID: "s", on: loop), as: .steer)
    #expect(queue.hasSteering)
    #expect(queue.next()?.item.id == "s")
    #expect(queue.next()?.kind == .followUp)
    #expect(queue.next() == nil)
    #expect(queue.json == ["version": 4, "steering": [], "followUp": []])
  }
}
