// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct ActivityReducerMessageTests {
  private var talk = Conversation()

  init() { talk.begin() }

  @Test("the end of a message adds text that its pieces lacked")
  mutating func missingEnd() {
    talk.tell(.textDelta("Hel"))
    #expect(talk.tell(.says("Hello")) == [.text("lo"), .textFinished("Hello")])
  }

  @Test("the end of a message replaces text that its pieces garbled")
  mutating func repaired() {
    talk.tell(.textDelta("a \u{FFFD}"))
    #expect(talk.tell(.says("a 😀")) == [.textReplaced("a 😀"), .textFinished("a 😀")])
    #expect(talk.activity.text == "a 😀")
  }

  @Test("a message without pieces is reported whole, and an empty message is not reported")
  mutating func noPieces() {
    #expect(talk.tell(.says("Hi")) == [.text("Hi"), .textFinished("Hi")])
    #expect(talk.tell(.says("")).isEmpty)
    #expect(talk.activity.text.isEmpty)
  }

  @Test("each message has its own text")
  mutating func messages() {
    talk.tell(.textDelta("One."), .says("One."), .textDelta("Two"))
    #expect(talk.activity.text == "Two")
    #expect(talk.activity.isWriting)
  }

  @Test("an answer is truncated at its limit")
  mutating func limit() {
    let piece = String(repeating: "x", count: 10 * 1024 * 1024)
    talk.tell(.textDelta(piece), .textDelta(piece))
    #expect(talk.activity.text.utf8.count == Turn.textLimit)
    talk.tell(.says(piece + piece))
    #expect(talk.activity.text.utf8.count == Turn.textLimit)
  }

  @Test("a thought keeps its last bytes, and each thought starts empty")
  mutating func thinking() {
    for _ in 0..<100 { talk.tell(.thinkingDelta(String(repeating: "é", count: 500))) }
    #expect(talk.activity.thinking.text.utf8.count <= ThinkingState.limit)
    #expect(talk.activity.thinking.isStreaming)
    talk.tell(.textDelta("So."))
    #expect(!talk.activity.thinking.isStreaming)
    talk.tell(.thinkingDelta("Or not."))
    #expect(talk.activity.thinking.text == "Or not.")
  }

  @Test("a question is pending until it is answered here or the agent continues")
  mutating func questions() {
    let confirm = UserQuestion(id: "q1", method: "confirm", body: ["title": "Sure?"])
    #expect(talk.tell(.question(confirm), .question(confirm)) == [.question(confirm)])
    talk.reducer.answered(question: "q1")
    #expect(talk.activity.questions.isEmpty)
    talk.tell(.question(UserQuestion(id: "q2", method: "input", body: .null)))
    #expect(talk.activity.questions.count == 1)
    talk.tell(.textDelta("Well"))
    #expect(talk.activity.questions.isEmpty)
  }

  @Test("the end of an ask call removes its question and no other")
  mutating func askEnds() {
    talk.tell(.calls("t", "ask"), .says(""), .calls("t", "ask"))
    talk.tell(.question(UserQuestion(id: "q1", method: "ask", body: .null)))
    talk.tell(.question(UserQuestion(id: "q2", method: "select", body: .null)))
    talk.tell(.returns("t", "ask"))
    #expect(talk.activity.questions.map(\.id) == ["q2"])
  }

  @Test("the call tells what it asks until the server has reported it, or the call ends")
  mutating func unreported() {
    func unreported() -> [String] { talk.activity.unreported?.parts.map(\.text) ?? [] }
    let part: JSONValue = ["id": "a", "question": "Which?", "options": ["x"]]
    talk.begin()
    talk.tell(.says(""), .calls("t", "ask", ["questions": [part]]))
    #expect(unreported() == ["Which?"] && talk.activity.waitsFor == .answer)
    #expect(talk.activity.isWaiting && talk.activity.requests.isEmpty)
    talk.tell(.question(UserQuestion(id: "q1", method: "ask", body: .null)))
    #expect(unreported().isEmpty && talk.activity.waitsFor == .answer)
    talk.reducer.answered(question: "q1")
    #expect(unreported().isEmpty && talk.activity.waitsFor == nil, "it was answered here")
    talk.tell(.returns("t", "ask"), .says(""), .calls("u", "ask", ["questions": [part]]))
    #expect(unreported() == ["Which?"], "the second time, too")
    talk.tell(.returns("u", "ask"), .says(""), .calls("v", "bash"))
    #expect(unreported().isEmpty && talk.activity.waitsFor == nil)
  }

  @Test("a notification of an extension is a notice if it has a text")
  mutating func notifications() {
    #expect(
      talk.tell(.notification("Hm")) == [.notice("Hm")]
    )
    #expect(talk.tell(.notification(nil)).isEmpty)
  }

  @Test("a status is kept across turns until it is cleared, and reported when it changes")
  mutating func statuses() {
    let build = ServerMessage.Kind.statusChanged(key: "build", text: "running")
    #expect(talk.tell(build, build) == [.statusChanged(key: "build", text: "running")])
    talk.begin()
    talk.tell(.statusChanged(key: "lint", text: String(repeating: "x", count: 5000)))
    #expect(talk.activity.statuses.map(\.key) == ["build", "lint"])
    #expect(talk.activity.statuses.allSatisfy { $0.text.utf8.count <= 1024 })
    let cleared = ServerMessage.Kind.statusChanged(key: "build", text: nil)
    #expect(talk.tell(cleared, cleared) == [.statusChanged(key: "build", text: nil)])
    for number in 0..<100 { talk.tell(.statusChanged(key: "\(number)", text: "x")) }
    #expect(talk.activity.statuses.count == Turn.companionLimit)
    let changed = ServerMessage.Kind.statusChanged(key: "0", text: "y")
    #expect(talk.tell(changed) == [.statusChanged(key: "0", text: "y")], "also of a full list")
  }

  @Test("messages of an idle session change nothing")
  mutating func afterwards() {
    talk.tell(.says("Done."), .agentEnd)
    talk.settle()
    let activity = talk.activity
    #expect(
      talk.tell(.textDelta("x"), .thinkingDelta("y"), .says("z"), .calls("t"), .returns("t"))
        .isEmpty
    )
    #expect(talk.activity == activity)
  }
}
