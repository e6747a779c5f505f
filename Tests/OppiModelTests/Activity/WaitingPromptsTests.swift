// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct WaitingPromptsTests {
  private var waiting = WaitingPrompts()

  private static let first = QueuedMessage(id: "1", kind: .followUp, text: "one")
  private static let second = QueuedMessage(id: "2", kind: .steer, text: "two")

  @Test("what leaves the queue without having begun was dropped, with the prompt that it was")
  mutating func dropped() {
    waiting.add(OwnPrompt(id: "2", text: "two", isQueued: true))
    #expect(waiting.update([Self.first, Self.second]).isEmpty)
    #expect(
      waiting.update([Self.first]) == [
        .queueDropped([Self.second]), .turnFinished(.dropped, isOwn: true),
      ]
    )
    #expect(waiting.queue == [Self.first])
    #expect(waiting.own.isEmpty)
  }

  @Test("what begins was not dropped")
  mutating func begun() {
    let own = OwnPrompt(id: "1", text: "one", isQueued: true)
    waiting.add(own)
    _ = waiting.update([Self.first, Self.second])
    #expect(waiting.take(Self.first) == own)
    #expect(waiting.update([Self.second]).isEmpty)
  }

  @Test("a prompt that the queue names is taken by its id, another by its kind or its text")
  mutating func taking() {
    let (queued, direct) = (
      OwnPrompt(id: "q", text: "same", isQueued: true),
      OwnPrompt(id: "d", text: "same", isQueued: false)
    )
    waiting.add(queued)
    waiting.add(direct)
    #expect(waiting.takeOwn(queuedAs: "d") == nil)
    #expect(waiting.takeDirectOwn() == direct)
    #expect(waiting.takeDirectOwn() == nil)
    #expect(waiting.takeOwn(text: "same") == queued)
    #expect(!waiting.hasQueuedOwn)
  }

  @Test("those that were queued are given up alone")
  mutating func givenUp() {
    let direct = OwnPrompt(id: "d", text: "now", isQueued: false)
    waiting.add(direct)
    waiting.add(OwnPrompt(id: "q", text: "later", isQueued: true))
    let change = ActivityChange.turnFinished(.unknown(reason: "why"), isOwn: true)
    #expect(waiting.giveUpQueuedOwn(because: "why") == [change])
    #expect(waiting.own == [direct])
    #expect(waiting.giveUpAllOwn(because: "why") == [change])
  }

  @Test("a message in the place of a prompt is another one unless a template may stand behind it")
  func overtaken() {
    #expect(OwnPrompt(id: "", text: "one", isQueued: false).isOvertaken(by: "two"))
    #expect(!OwnPrompt(id: "", text: "one", isQueued: false).isOvertaken(by: " one\ndata:x"))
    #expect(!OwnPrompt(id: "", text: "/one", isQueued: false).isOvertaken(by: "two"))
    #expect(!OwnPrompt(id: "", text: " ", isQueued: false).isOvertaken(by: "two"))
  }
}
