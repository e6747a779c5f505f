// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// Questions on servers that report which dialogs are settled, and repeat the pending ones.
@Suite struct SettledQuestionTests {
  private var talk = Conversation()

  init() {
    talk.reducer = ActivityReducer(sessionID: "s1", requests: .dialogs)
    talk.begin()
  }

  private static func question(_ id: String, _ method: String = "select") -> ServerMessage.Kind {
    .question(UserQuestion(id: id, method: method, body: ["title": "Go on?"]))
  }

  private var pending: [String] { talk.activity.questions.map(\.id) }

  private mutating func connect(at sequence: Int = 100) throws {
    let session = try Session.s1("busy")
    talk.tell(.connected(session, currentSequence: sequence))
  }

  @Test("questions stay in the order of their arrival until each is settled")
  mutating func several() {
    talk.tell(Self.question("a"), Self.question("b"), Self.question("c"))
    talk.tell(.textDelta("Meanwhile"), .says("Meanwhile"), .calls("t", "ask"), .returns("t", "ask"))
    #expect(pending == ["a", "b", "c"])
    #expect(talk.tell(.questionSettled(id: "b")) == [.questionSettled(id: "b")])
    #expect(pending == ["a", "c"])
  }

  @Test("the end of another call settles no question that the server still waits for")
  mutating func otherCall() {
    talk.tell(Self.question("a", "ask"), .calls("t", "ask"), .returns("t", "ask"))
    #expect(pending == ["a"])
  }

  @Test("a running ask call alone does not make the turn wait")
  mutating func callAlone() {
    talk.tell(.says(""), .calls("t", "ask"))
    #expect(talk.activity.unreported == nil && talk.activity.waitsFor == nil)
  }

  @Test("another question under the id of a pending one replaces it, the same one is no news")
  mutating func changed() {
    talk.tell(Self.question("a"), Self.question("b"))
    #expect(talk.tell(Self.question("a")).isEmpty)
    let other = UserQuestion(id: "a", method: "select", body: ["title": "Delete it?"])
    #expect(talk.tell(.question(other)) == [.question(other)])
    #expect(talk.activity.questions.first == other && pending == ["a", "b"])
  }

  @Test("a question that was answered here, or is unknown, is settled without news")
  mutating func own() {
    talk.tell(Self.question("a"))
    talk.reducer.answered(question: "a")
    #expect(talk.tell(.questionSettled(id: "a"), .questionSettled(id: "x")).isEmpty)
    #expect(pending.isEmpty)
  }

  @Test("a question is pending in an idle session, and in the next turn")
  mutating func idle() {
    talk.tell(.says("Done."), .agentEnd)
    talk.settle()
    #expect(talk.tell(Self.question("a")).count == 1)
    #expect(pending == ["a"])
    talk.begin()
    #expect(pending == ["a"])
    #expect(talk.activity.status == .running)
  }

  @Test("after a connection, a question that is not repeated is over once the agent continues")
  mutating func reconnected() throws {
    talk.tell(Self.question("a"), Self.question("b"))
    try connect()
    #expect(pending == ["a", "b"], "a panel does not vanish at each connection")
    #expect(talk.tell(Self.question("b")).isEmpty, "a repeated question is not news")
    talk.tell(.textDelta("x"))
    #expect(pending == ["b"])
  }

  @Test("the questions of an agent are over with it, and with the session")
  mutating func replaced() throws {
    talk.tell(Self.question("a"))
    try connect(at: 100)
    #expect(pending == ["a"])
    try connect(at: 1)
    #expect(pending.isEmpty)
    talk.tell(Self.question("b"), .sessionEnded(reason: nil))
    #expect(pending.isEmpty)
  }

  @Test("a server that does not report settled dialogs keeps its rules")
  mutating func older() {
    talk.reducer = ActivityReducer(sessionID: "s1")
    talk.begin()
    talk.tell(Self.question("a"))
    #expect(pending == ["a"])
    talk.tell(.textDelta("x"))
    #expect(pending.isEmpty)
  }

  @Test("a settled dialog is read from its message")
  func decoding() {
    let message = ServerMessage(json: ["type": "extension_ui_settled", "id": "a", "sessionId": "S"])
    #expect(message?.kind == .questionSettled(id: "a") && message?.sessionID == "S")
  }
}

@Suite struct SessionCounterTests {
  private var counter = SessionCounter()

  @Test("a repeated message is not new")
  mutating func repeats() {
    #expect(counter.take(3) == true)
    #expect(counter.take(3) == false)
    #expect(counter.take(2) == false)
    #expect(counter.last == 3)
  }

  @Test("catching up skips all messages before the subscription")
  mutating func catchesUp() {
    #expect(counter.connect(5) == false)
    counter.catchUp()
    #expect(counter.take(5) == false)
    #expect(counter.take(6) == true)
  }

  @Test("catching up does not go back behind what was received since the subscription")
  mutating func staysAhead() {
    _ = counter.connect(5)
    _ = counter.take(9)
    counter.catchUp()
    #expect(counter.last == 9)
    #expect(counter.take(7) == false)
  }

  @Test("a counter is reset if it is below the last message or the last subscription")
  mutating func edges() {
    _ = counter.take(7)
    #expect(counter.connect(7) == false && counter.last == 7)
    #expect(counter.connect(9) == false)
    #expect(counter.connect(8) == true, "the counter was 9 before")
    #expect(counter.last == 0)
    #expect(counter.take(1) == true)
    _ = counter.take(9)
    #expect(counter.connect(8) == true, "9 was heard")
  }
}
