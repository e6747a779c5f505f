// SPDX-License-Identifier: MIT

import OppiTerminal
import OppiText
import OppiWire
import Testing

@testable import Oppi
@testable import OppiTestSupport
@testable import OppiTurns

/// A chat in lines: requests, questions and messages.
@Suite struct ChatLinesTests {
  private static func desk(_ question: JSONValue? = nil) throws -> ChatLinesDesk {
    var desk = ChatLinesDesk()
    try desk.begin()
    if let question { try desk.receive(question) }
    return desk
  }

  // MARK: - Requests

  @Test("a request is printed in full, and decided by the number of a choice a second later")
  func decides() throws {
    var desk = try Self.desk()
    let printed = try desk.ask().printed
    let head = "Approval: waiting for approval: bash, 1 line, risk: sends data"
    #expect(printed.first == head, "\(printed)")
    #expect(printed.contains("call: git push") && printed.contains("1 allow once"))
    #expect(desk.type("1", after: .milliseconds(999)).decisions.isEmpty)
    #expect(desk.type("1").decisions == [.allow])
  }

  @Test("while a request is open, no line is sent, and the commands of the chat work")
  func blocks() throws {
    var desk = try Self.desk()
    try desk.ask()
    for line in ["", "yes", "run the tests", "9", "/unknown"] {
      let effects = desk.type(line)
      #expect(effects.sent.isEmpty && effects.decisions.isEmpty, "\(line)")
      #expect(effects.printed.last?.contains("type 1, 2, 3 or 4") == true, "\(line)")
    }
    #expect(desk.lines.state.mail.outgoing.isEmpty)
    #expect(desk.type("/stop").first == .stopTurn)
  }

  @Test("a denial with a reason sends the reason after the denial is confirmed")
  func reason() throws {
    var desk = try Self.desk()
    try desk.ask()
    #expect(desk.type("4").printed.first?.hasPrefix("type the reason") == true)
    #expect(desk.type("use staging").decisions == [.deny])
    let result = ChatResult(kind: .answer(id: "p1"), text: "denied")
    let confirmed = desk.update(.news(.performed(result)))
    #expect(desk.lines.state.mail.outgoing.map(\.text) == ["use staging"], "\(confirmed)")
  }

  @Test("a request is printed again after Ctrl-Z, and needs a second of its own")
  func suspended() throws {
    var desk = try Self.desk()
    #expect(desk.update(.continued).isEmpty)
    try desk.ask()
    let count = desk.lines.panelCount
    desk.now += .seconds(2)
    let printed = desk.update(.continued).printed
    #expect(printed.contains("call: git push") && desk.lines.panelCount > count, "\(printed)")
    #expect(desk.type("1", after: .milliseconds(999)).decisions.isEmpty)
    #expect(desk.type("1").decisions == [.allow])
  }

  @Test("a request that replaces another one is printed, and needs a second of its own")
  func next() throws {
    var desk = try Self.desk()
    try desk.ask("p1", "git push")
    try desk.ask("p2", "rm -rf build")
    let effects = desk.type("1")
    #expect(effects.decisions == [.allow])
    #expect(effects.printed.contains("call: rm -rf build"))
    #expect(desk.type("1", after: .milliseconds(500)).decisions.isEmpty)
    #expect(desk.type("3").decisions == [.deny])
  }

  @Test("a request whose call has changed must be read again")
  func changed() throws {
    var desk = try Self.desk()
    try desk.ask("p1", "git push")
    desk.now += .seconds(5)
    #expect(try desk.ask("p1", "git push --force").printed.contains("call: git push --force"))
    #expect(desk.type("1", after: .milliseconds(500)).decisions.isEmpty)
    #expect(desk.type("1").decisions == [.allow])
  }

  @Test("the number for a request that was decided elsewhere is not sent to the agent at once")
  func stale() throws {
    var desk = try Self.desk()
    try desk.ask()
    desk.now += .seconds(5)
    try desk.receive(["type": "permission_cancelled", "id": "p1", "sessionId": "S"])
    #expect(desk.lines.panel == nil)
    #expect(desk.type("hello", after: .milliseconds(500)).sent.isEmpty)
    let refusal = "not sent: no request is open; type it again to send it to the agent"
    #expect(desk.type("1") == [.print([StyledText(refusal)])])
    #expect(desk.lines.state.mail.outgoing.isEmpty)
    _ = desk.type("1")
    #expect(desk.lines.state.mail.outgoing.map(\.text) == ["1"])
  }

  @Test("a doubled number does not become a message")
  func double() throws {
    var desk = try Self.desk()
    try desk.ask()
    #expect(desk.type("1").decisions == [.allow])
    #expect(desk.type("1", after: .milliseconds(100)).decisions.isEmpty)
    #expect(desk.lines.state.mail.outgoing.isEmpty)
    _ = desk.type("go on")
    #expect(desk.lines.state.mail.outgoing.map(\.text) == ["go on"])
  }

  @Test("the time left is shown once the server's clock is known")
  func time() throws {
    var desk = try Self.desk()
    desk.moment = Timestamp(milliseconds: 5000)
    let printed = try desk.ask(limit: 125_000).printed
    #expect(
      printed.contains("end of request p1; denied without a decision at 1970-01-01T00:02:05Z"),
      "\(printed)"
    )
    let found = RequestContext(clockOffset: .seconds(-5), folder: "~/src")
    let context = desk.update(.news(.requestContext(found))).printed
    #expect(context.contains("folder of the request: ~/src; 2 min left"))
    let again = desk.type("?").printed
    #expect(again.contains("end of request; denied without a decision in 2 min"), "\(again)")
  }

  // MARK: - Questions

  @Test("the parts of a question are answered one after the other")
  func parts() throws {
    var desk = try Self.desk(ChatQuestionTests.parts)
    #expect(desk.type("2", after: .milliseconds(500)).answers.isEmpty)
    let next = desk.type("2")
    let second = "Question: waiting for an answer, 2 of 2: Which extras?"
    #expect(next.printed.contains(second), "\(next)")
    #expect(desk.type("1, 3", after: .milliseconds(500)).answers.isEmpty)
    let answers = desk.type("1, 3").answers
    let texts = ["scope": "\"Unit tests\"", "extras": "Lint, Benchmarks"]
    #expect(answers == [.choices(texts.mapValues(PartAnswer.text))])
  }

  @Test("the number of a missing choice is no answer, and an own text is one if it is allowed")
  func text() throws {
    var desk = try Self.desk(ChatQuestionTests.parts)
    #expect(desk.type("7").printed.first?.hasPrefix("no such choice") == true)
    #expect(
      desk.type("only the slow ones").printed.contains(
        "Question: waiting for an answer, 2 of 2: Which extras?"
      )
    )
  }

  @Test("an empty line is no answer, and /cancel cancels")
  func cancels() throws {
    var desk = try Self.desk(ChatQuestionTests.dialog("input"))
    #expect(desk.type("/cancel", after: .milliseconds(10)).answers.isEmpty, "too early")
    #expect(desk.type("").answers.isEmpty)
    #expect(desk.type("/cancel").answers == [.cancelled])
  }

  @Test("without a request, a line is a message, and an empty line is none")
  func messages() throws {
    var desk = try Self.desk()
    #expect(desk.type("").isEmpty)
    _ = desk.type("1")
    #expect(desk.lines.state.mail.outgoing.map(\.text) == ["1"])
  }

  @Test("Ctrl-C stops the turn, and a second Ctrl-C leaves the chat")
  func interrupts() throws {
    var lines = try Self.desk(ChatQuestionTests.dialog("input")).lines
    #expect(lines.effects(of: .interrupted(hasDraft: true), at: .zero).isEmpty)
    #expect(lines.effects(of: .interrupted(hasDraft: false), at: .zero).first == .stopTurn)
    _ = lines.effects(of: .news(.performed(ChatResult(kind: .stop))), at: .zero)
    let again = lines.effects(of: .interrupted(hasDraft: false), at: .milliseconds(500))
    #expect(again == [.leave])
  }
}
