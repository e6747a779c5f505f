// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import LoopbackServer

@Suite("MessageQueue")
struct MessageQueueTests {
  @Test("steers come before follow-ups, and every change counts")
  func order() {
    var queue = MessageQueue()
    let now = Timestamp(seconds: 1)
    queue.append(.init(id: "f", message: "later", createdAt: now), as: .followUp)
    queue.append(.init(id: "s", message: "now", createdAt: now), as: .steer)
    #expect(queue.hasSteering)
    #expect(queue.next()?.item.id == "s")
    #expect(queue.next()?.kind == .followUp)
    #expect(queue.next() == nil)
    #expect(queue.json == ["version": 4, "steering": [], "followUp": []])
  }
}
