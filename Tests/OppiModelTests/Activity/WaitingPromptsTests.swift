// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiWire

@Suite struct WaitingPromptsTests {
  private var waiting = WaitingPrompts()

  private static let first = QueuedMessage(id: "1", kind: .followUp, text: "one")
  private static let second = QueuedMessage(id: "2", kind: .steer, text: "two")

  /// Sends a prompt, and queues both messages.
  private mutating func queue(_ id: String, _ text: String, isStopping: Bool = false) -> OwnPrompt {
    let own = OwnPrompt(id: id, text: text, isQueued: true)
    waiting.add(own)
    #expect(waiting.update([Self.first, Self.second], isStopping: isStopping).isEmpty)
    return own
  }

  @Test("a message that leaves the queue at a stop is dropped with its own prompt")
  mutating func dropped() {
    _ = queue("2", "two", isStopping: true)
    #expect(
      waiting.update([Self.first], isStopping: true) == [
        .queueDropped([Self.second]), .turnFinished(.dropped, isOwn: true),
      ]
    )
    #expect(waiting.queue == [Self.first])
    #expect(waiting.own.isEmpty)
  }

  @Test("a message that leaves the queue before it starts is its own prompt, and not dropped")
  mutating func leavesFirst() {
    let own = queue("2", "two")
    #expect(waiting.update([Self.first], isStopping: false).isEmpty)
    #expect(waiting.take(Self.second) == own)
    #expect(waiting.dropGone().isEmpty)
  }

  @Test("a message that left the queue is dropped by a later stop, once, unless it is queued again")
  mutating func droppedLater() {
    _ = waiting.update([Self.first, Self.second], isStopping: false)
    _ = waiting.update([], isStopping: false)
    #expect(waiting.update([Self.first], isStopping: true) == [.queueDropped([Self.second])])
    #expect(waiting.dropGone().isEmpty && waiting.queue == [Self.first])
  }

  @Test("a queue that is given up is lost with what has just left it, once")
  mutating func lost() {
    _ = waiting.update([Self.first, Self.second], isStopping: false)
    _ = waiting.update([Self.second], isStopping: false)
    #expect(waiting.giveUpQueue() == [.queueLost([Self.first, Self.second])])
    #expect(waiting.dropGone().isEmpty && waiting.giveUpQueue().isEmpty)
  }

  @Test("only one message that left the queue, and none that is in it, has begun with a text")
  mutating func begunInTrace() {
    let again = QueuedMessage(id: "again", kind: .followUp, text: "one")
    let still = QueuedMessage(id: "still", kind: .followUp, text: "one")
    _ = waiting.update([Self.first, again, still], isStopping: false)
    _ = waiting.update([still], isStopping: false)
    waiting.forgetGone(text: "one")
    #expect(waiting.giveUpQueue() == [.queueLost([again, still])])
  }

  @Test("a queued prompt to which the server gave another id is found by its text")
  mutating func otherID() {
    let own = queue("turn", "two")
    #expect(waiting.take(Self.first) == nil)
    #expect(waiting.take(Self.second) == own)
  }

  @Test("a message of another client with the same text is not the prompt of this program")
  mutating func sameText() {
    waiting.add(OwnPrompt(id: "1", text: "one", isQueued: true))
    let other = QueuedMessage(id: "other", kind: .followUp, text: "one")
    _ = waiting.update([other, Self.first], isStopping: false)
    #expect(waiting.take(other) == nil)
  }

  @Test("a message that started is not dropped")
  mutating func begun() {
    let own = queue("1", "one", isStopping: true)
    #expect(waiting.take(Self.first) == own)
    #expect(waiting.update([Self.second], isStopping: true).isEmpty)
  }

  @Test("a queued prompt is found by its id, another prompt by its kind or text")
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

  @Test("a queued message that is stored only in part is found by its whole text")
  mutating func long() {
    let text = String(repeating: "x", count: Turn.queuedTextLimit + 1)
    let long = QueuedMessage(id: "l", kind: .followUp, text: text)
    _ = waiting.update([Self.first, long], isStopping: false)
    #expect(waiting.takeMessage(text: text)?.id == "l")
    #expect(waiting.queue == [Self.first])
  }

  @Test("a message that has left the queue is found by its text, and then no stop drops it")
  mutating func goneByText() {
    _ = waiting.update([Self.first, Self.second], isStopping: false)
    _ = waiting.update([], isStopping: false)
    #expect(waiting.takeMessage(text: "two") == Self.second)
    #expect(waiting.dropGone() == [.queueDropped([Self.first])])
  }

  @Test("queued prompts can be given up separately")
  mutating func givenUp() {
    let direct = OwnPrompt(id: "d", text: "now", isQueued: false)
    waiting.add(direct)
    waiting.add(OwnPrompt(id: "q", text: "later", isQueued: true))
    let change = ActivityChange.turnFinished(.unknown(reason: "why"), isOwn: true)
    #expect(waiting.endOwn(as: .unknown(reason: "why"), where: \.isQueued) == [change])
    #expect(waiting.own == [direct])
    #expect(waiting.endOwn(as: .unknown(reason: "why")) { _ in true } == [change])
  }
}

@Suite struct OwnPromptTests {
  private static let prompt = OwnPrompt(id: "1", text: " do it\n", isQueued: false)

  @Test(
    "a message with the same text matches despite surrounding blanks and appended images",
    arguments: ["do it", " do it ", "do it\n", "do it\n\ndata:image/png;base64,AAAA"]
  )
  func same(text: String) {
    #expect(Self.prompt.isText(of: text) && !Self.prompt.isOvertaken(by: text))
  }

  @Test(
    "a message with a similar text does not match",
    arguments: ["do i", "do it now", "do its", "please do it", "Do it", "", "do it\ndat"]
  )
  func others(text: String) {
    #expect(!Self.prompt.isText(of: text))
    #expect(Self.prompt.isOvertaken(by: text))
  }

  @Test("a prompt that names a template matches any text")
  func template() {
    let prompt = OwnPrompt(id: "1", text: "/review", isQueued: false)
    #expect(!prompt.isOvertaken(by: "Review the changes"))
    for blank in ["", " "] {
      #expect(!OwnPrompt(id: "1", text: blank, isQueued: false).isOvertaken(by: "anything"))
    }
  }
}
