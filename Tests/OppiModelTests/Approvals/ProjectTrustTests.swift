// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import TestSupport
import Testing

/// A question for trust in a project, which the server allows unless it is refused.
@Suite struct ProjectTrustTests {
  private static let remember: JSONValue = "Trust (remember)"
  private static let once: JSONValue = "Trust this session"
  private static let refusal: JSONValue = "Don't trust (remember)"

  private static func question(
    _ options: [JSONValue],
    method: String = "select",
    _ others: JSONObject = [:]
  ) -> UserQuestion {
    let body: JSONObject = ["title": "Trust project folder?", "options": .array(options)]
    return UserQuestion.sample(method, .object(body.adding(others)))
  }

  static let trusted: [[JSONValue]] = [
    [remember, once, refusal], [refusal, once, remember], [once, remember, refusal],
    [["value": remember, "label": remember], once, refusal],
    [["value": remember, "label": remember, "description": ""], once, refusal],
  ]

  @Test("the three choices of the server ask for trust, in any order", arguments: trusted)
  func recognized(options: [JSONValue]) {
    let question = Self.question(options)
    let request = HumanRequest.question(question)
    #expect(question.asksForTrust && question.consent == nil && request.needs == .answer)
    #expect(request.expiry == "auto-allowed")
    #expect(request.allowanceNote == "the server allows it if it is cancelled or not answered")
    let answer = QuestionAnswer.value("Don't trust (remember)")
    #expect(request.refusal == .answer(answer))
    #expect(request.offeredRefusal.label == "Don't trust (remember)")
    #expect(question.isRefused(by: answer) && !question.isRefused(by: .cancelled))
    #expect(!question.isRefused(by: .value("Trust this session")))
    #expect(RequestReply.answer(.cancelled).effect(on: request) == .answer)
    #expect(RequestReply.answer(answer).effect(on: request) == .deny)
    let approval = PendingApproval(request, clockOffset: .zero)
    #expect(approval.reason == request.allowanceNote)
  }

  static let others: [[JSONValue]] = [
    [remember, once, refusal, "Don't trust"], [remember, once, refusal, once], [remember, once],
    [remember, once, once], [remember, refusal], [remember, once, "Don't trust"],
    [remember, "Trust for this session", refusal], ["trust (remember)", once, refusal],
    ["Trust (remember) ", once, refusal], [],
    [["value": "yes", "label": remember], once, refusal],
    [["value": remember, "label": "Trust"], once, refusal],
    [["value": remember, "label": remember, "description": "Runs hooks"], once, refusal],
    [remember, once, refusal, 3],
  ]

  @Test("any other choices are a usual question, which is refused by cancelling", arguments: others)
  func usual(options: [JSONValue]) {
    let question = Self.question(options)
    let request = HumanRequest.question(question)
    #expect(!question.asksForTrust && request.allowanceNote == nil && request.expiry == "expires")
    #expect(request.refusal == .answer(.cancelled) && request.offeredRefusal.label == "Cancel")
    #expect(question.isRefused(by: .cancelled))
    #expect(PendingApproval(request, clockOffset: .zero).reason == nil)
  }

  @Test("a dialog of another kind, and one that is not whole, do not ask for trust")
  func kinds() {
    let options = [Self.remember, Self.once, Self.refusal]
    for method in ["confirm", "input", "ask", "editor", "Select"] {
      #expect(!Self.question(options, method: method).asksForTrust)
    }
    let long = JSONValue.string(String(repeating: "x", count: 70_000))
    #expect(!Self.question(options, ["prefill": long]).asksForTrust)
  }

  @Test("the extension that asks is named before the note")
  func asker() {
    let options = [Self.remember, Self.once, Self.refusal]
    let request = HumanRequest.question(Self.question(options, ["extensionDisplayName": "Gate"]))
    let reason = PendingApproval(request, clockOffset: .zero).reason
    #expect(reason == "asked by Gate, the server allows it if it is cancelled or not answered")
  }

  @Test("the refusal is offered once at a glance")
  func glance() {
    let request = HumanRequest.question(Self.question(Self.trusted[0]))
    let offers = ApprovalPolicy.offers(atAGlanceTo: request).map(\.label)
    #expect(offers == ["Trust (remember)", "Trust this session"])
  }

  @Test("a call and a confirm end as before")
  func endings() {
    let call = HumanRequest.permission(
      PermissionRequest(id: "p", tool: "bash", input: ["command": "ls"], summary: "ls")
    )
    #expect(call.expiry == "auto-denied" && call.allowanceNote == nil)
    let confirm = HumanRequest.question(Self.question([], method: "confirm"))
    #expect(confirm.expiry == "expires" && confirm.refusal == .answer(.cancelled))
    #expect(confirm.offeredRefusal.label == "No")
  }
}
