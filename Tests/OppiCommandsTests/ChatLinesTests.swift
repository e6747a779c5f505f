// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import TestSupport
import Testing

@testable import OppiCommands

/// Questions of the agent in a chat without a screen, in line mode.
@Suite struct ChatLinesTests {
  private static func lines(_ question: JSONValue) throws -> (ChatLines, [String]) {
    var lines = ChatLines(ChatState(sessionID: "S", newID: ChatDesk.counter()))
    var reducer = ActivityReducer(sessionID: "S")
    var printed: [String] = []
    for json in [["type": "agent_start", "sessionId": "S", "seq": 1], question] {
      let message = try #require(ServerMessage(json: json))
      let changes = reducer.apply(message, at: Timestamp(milliseconds: 0))
      let news = ChatNews.step(.changes(changes, of: message), reducer.activity, nil)
      printed += lines.take(news, at: .zero).printed
    }
    return (lines, printed)
  }

  @Test("a question and each of its parts have a number")
  func byLine() throws {
    var (lines, printed) = try Self.lines(ChatQuestionTests.parts)
    #expect(printed.contains("answer with 'answer 1 NUMBER' or 'answer 1 TEXT' or 'cancel 1'"))
    #expect(lines.type("answer 2 1", at: .zero) == [.say("no pending request 2")])
    let next = lines.type("answer 1 2", at: .zero)
    #expect(next.printed.contains("? Which extras? (2 of 2)"))
    let answers = lines.type("answer 2 1, 3", at: .zero).answers
    #expect(answers == [.answers(["scope": "\"Unit tests\"", "extras": "Lint, Benchmarks"])])
    #expect(lines.type("answer 2 1", at: .zero) == [.say("no pending request 2")])
  }

  @Test("a message is not an answer, and a question can be cancelled")
  func messages() throws {
    var (lines, _) = try Self.lines(ChatQuestionTests.dialog("input"))
    #expect(lines.type("1", at: .zero).answers.isEmpty)
    #expect(lines.type("answer the question", at: .zero).answers.isEmpty)
    #expect(lines.state.mail.outgoing.map(\.text) == ["1", "answer the question"])
    #expect(lines.type("allow 1", at: .zero).answers.isEmpty)
    #expect(lines.type("cancel 1", at: .zero).answers == [.cancelled])
  }

  @Test("Ctrl-C stops the turn, and a second Ctrl-C leaves the chat")
  func interrupts() throws {
    var (lines, _) = try Self.lines(ChatQuestionTests.dialog("input"))
    #expect(lines.interrupt(hasDraft: true, at: .zero).isEmpty)
    #expect(lines.interrupt(hasDraft: false, at: .zero).first == .stopTurn)
    _ = lines.take(.performed(ChatResult(deed: .stop)), at: .zero)
    #expect(lines.interrupt(hasDraft: false, at: .milliseconds(500)) == [.leave])
  }
}
