// SPDX-License-Identifier: MIT

import OppiModel
import Testing

/// Which replies each kind of request accepts, and what is sent.
@Suite struct RequestReplyTests {
  private static func dialog(_ method: String, _ more: JSONObject = [:]) -> HumanRequest {
    let body = (["title": "Run rm -rf ./build?"] as JSONObject).adding(more)
    return .question(UserQuestion(id: "q", method: method, body: .object(body)))
  }

  private static let call = HumanRequest.permission(
    PermissionRequest(id: "p", tool: "bash", input: ["command": "ls"], summary: "ls")
  )

  private static func reply(_ reply: RequestReply, to request: HumanRequest) -> RequestReply? {
    try? request.accepting(reply)
  }

  private static func mismatch(
    _ reply: RequestReply,
    _ request: HumanRequest
  ) -> HumanRequest.Mismatch? {
    do throws(HumanRequest.Mismatch) {
      _ = try request.accepting(reply)
      return nil
    } catch {
      return error
    }
  }

  @Test("an approval of a confirm is a yes, and a denial of any dialog cancels it")
  func decisions() {
    #expect(Self.reply(.decision(.allow), to: Self.dialog("confirm")) == .answer(.confirmed(true)))
    for method in ["ask", "select", "confirm", "input", "editor", "draw"] {
      #expect(Self.reply(.decision(.deny), to: Self.dialog(method)) == .answer(.cancelled))
    }
  }

  @Test(
    "no option is taken for an approval, whatever its text",
    arguments: ["Yes", "yes", "Approve", "Allow", "OK", "Y"]
  )
  func neverGuesses(option: String) {
    let select = Self.dialog("select", ["options": [.string(option), "No"]])
    #expect(Self.mismatch(.decision(.allow), select) == .needsAnswer)
    for method in ["ask", "input", "editor", "draw"] {
      #expect(Self.mismatch(.decision(.allow), Self.dialog(method)) == .needsAnswer)
    }
  }

  @Test("a dialog has no approval for more than this time")
  func scopes() {
    for method in ["ask", "select", "confirm", "input", "editor"] {
      for decision in [PermissionDecision.allowForSession, .allowEverywhere] {
        #expect(Self.mismatch(.decision(decision), Self.dialog(method)) == .hasNoScope)
      }
    }
  }

  @Test("a tool call takes decisions and no answers")
  func calls() {
    for decision in [PermissionDecision.allow, .allowForSession, .allowEverywhere, .deny] {
      #expect(Self.reply(.decision(decision), to: Self.call) == .decision(decision))
    }
    for answer in [QuestionAnswer.value("Yes"), .confirmed(true), .cancelled] {
      #expect(Self.mismatch(.answer(answer), Self.call) == .needsDecision)
    }
  }

  @Test("a request that is not whole accepts only a refusal")
  func incomplete() {
    let cut = Self.dialog("confirm", ["message": .string(String(repeating: "a", count: 1 << 21))])
    #expect(Self.mismatch(.decision(.allow), cut) == .incomplete)
    #expect(Self.mismatch(.answer(.confirmed(true)), cut) == .incomplete)
    #expect(Self.reply(.decision(.deny), to: cut) == .answer(.cancelled))
    #expect(Self.reply(.answer(.confirmed(false)), to: cut) == .answer(.confirmed(false)))
  }
}
