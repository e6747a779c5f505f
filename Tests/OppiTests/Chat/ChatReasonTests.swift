// SPDX-License-Identifier: MIT

import OppiTerminal
import OppiText
import OppiWire
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// Denials with a reason, which is sent to the agent.
@Suite struct ChatReasonTests {
  @Test("a denial with a reason denies the call, then sends the reason to the agent")
  func reason() throws {
    var desk = try ChatDesk.asked()
    #expect(desk.choose("r").isEmpty)
    _ = desk.press(.text("use a branch"), after: .seconds(1))
    let effects = desk.press(.enter)
    #expect(effects.decisions == [.deny])
    #expect(effects.sent.isEmpty, "the denial is not confirmed yet")
    let told = desk.update(.news(.performed(ChatResult(kind: .answer(id: "p1"), text: "denied"))))
    #expect(told.sent == ["steer use a branch"])
  }

  @Test("the letter of a denial with a reason opens a field for the reason")
  func reasonAtOnce() throws {
    var desk = try ChatDesk.asked(draft: "draft")
    _ = desk.press(.text("r"), after: .seconds(2))
    #expect(desk.shows("reason ›"))
    _ = desk.press(.text("n"), .text("o"), after: .milliseconds(300))
    #expect(desk.screen.composer.text == "draft" && desk.screen.reason?.text == "no")
    // The keys may have been the message "rno".
    #expect(desk.press(.enter, .enter).decisions.isEmpty)
    #expect(desk.shows("press Enter again to deny") && desk.screen.reason?.text == "no")
    #expect(desk.press(.enter, after: .milliseconds(500)).decisions == [.deny])
    #expect(desk.screen.composer.text == "draft")
  }

  @Test("Enter with an empty reason does not deny")
  func reasonEmpty() throws {
    var desk = try ChatDesk.asked()
    _ = desk.press(.text("r"), after: .seconds(2))
    #expect(desk.press(.enter, .enter, after: .seconds(2)).decisions.isEmpty)
  }

  @Test("a reason is not sent if its request is gone, and Up restores it")
  func reasonKept() throws {
    var desk = try ChatDesk.asked(draft: "draft")
    _ = desk.press(.text("r"), after: .seconds(2))
    _ = desk.press(.enter, after: .seconds(1))
    _ = desk.press(.text("because"), after: .seconds(1))
    _ = try desk.receive(["type": "permission_expired", "id": "p1", "sessionId": "S"])
    #expect(desk.press(.text("!"), .enter, after: .milliseconds(200)).isEmpty)
    _ = desk.press(.up)
    #expect(desk.screen.composer.text == "because")
  }

  @Test(
    "a reason is sent only after the denial succeeds, and returns to the draft if it does not",
    arguments: [ChatResult.Outcome.failed, .tooLate]
  )
  func reasonWithoutDenial(outcome: ChatResult.Outcome) throws {
    var desk = try ChatDesk.asked()
    _ = desk.press(.text("r"), after: .seconds(2))
    _ = desk.press(.enter, after: .seconds(1))
    #expect(desk.press(.text("because"), .enter, after: .seconds(1)).decisions == [.deny])
    let result = ChatResult(kind: .answer(id: "p1"), text: "not denied", outcome: outcome)
    let effects = desk.update(.news(.performed(result)))
    #expect(effects.sent.isEmpty)
    #expect(outcome != .failed || effects.printed == ["not denied"])
    #expect(desk.screen.composer.text == "because")
    #expect(desk.shows("! waiting for approval: bash") == (outcome == .failed))
  }
}
