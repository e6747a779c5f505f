// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel

/// Sessions with pending dialogs in the summary of all sessions and in its file.
@Suite struct PendingDialogTests {
  private static func dialog(
    _ id: String,
    _ method: String,
    _ title: String = "Go on?",
    expiresAt: Timestamp? = nil
  ) -> PendingApproval {
    let question = UserQuestion(id: id, method: method, body: ["title": .string(title)])
    var approval = PendingApproval(.question(question), clockOffset: .zero)
    approval.expiresAt = expiresAt
    return approval
  }

  @Test("a confirm counts as an approval, and other dialogs count as questions")
  func counts() {
    let approvals = [
      Self.dialog("a", "confirm"), Self.dialog("b", "select"), Self.dialog("c", "input"),
    ]
    let state = ContentState.of(.sample("S", .waiting, approvals: approvals))
    #expect(state.status == .awaitingApproval && state.approval?.id == "a")
    #expect(state.pendingApprovals == 1 && state.pendingQuestions == 2)
  }

  @Test("a session that waits only for an answer has its text, and no approval")
  func question() {
    let state = ContentState.of(
      .sample("S", .waiting, approvals: [Self.dialog("a", "select", "Run rm -rf ./build?")])
    )
    #expect(state.status == .awaitingAnswer && state.approval == nil)
    #expect(state.pendingApprovals == 0 && state.pendingQuestions == 1)
    #expect(state.shown?.session.questionText == "Run rm -rf ./build?")
  }

  @Test("an expired dialog needs no answer any more")
  func expired() {
    let dialogs = [Self.dialog("a", "select", expiresAt: .noon)]
    let state = ContentState.of(.sample("S", .waiting, approvals: dialogs))
    #expect(state.status == .processing && state.pendingQuestions == 0)
  }

  @Test("dialogs that a server only counts are questions, besides the listed ones")
  func counted() {
    var session = SessionStatus.sample("S", .waiting)
    session.pendingCount = 3
    #expect(ContentState.of(session).pendingQuestions == 3)
    // The server also counts what it lists.
    session.approvals = [Self.dialog("a", "select"), Self.dialog("b", "confirm")]
    #expect(ContentState.of(session).pendingQuestions == 1)
  }

  @Test("the kind of a dialog survives the status file, and an earlier file has tool calls")
  func file() throws {
    let dialog = Self.dialog("a", "select")
    let json = PendingApproval.shape.json(of: dialog)
    #expect(PendingApproval.shape.record(from: json)?.kind == .select)
    let earlier: JSONValue = ["id": "p", "tool": "bash", "summary": "ls", "risk": "read"]
    #expect(PendingApproval.shape.record(from: earlier)?.kind == .permission)
  }
}
