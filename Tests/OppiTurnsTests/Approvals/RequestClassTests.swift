// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

/// What a request needs and its risk, which are the same on all surfaces.
@Suite struct RequestClassTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var request: HumanRequest
    var needs: RequestNeed
    var risk: Risk?
    /// `nil` if it cannot be approved.
    var approval: RequestReply?
    var denial: RequestReply

    var testDescription: String { name }
  }

  private static func call(_ command: String, _ risk: Risk) -> Row {
    Row(
      name: command,
      request: .permission(.call("p", command)),
      needs: .approval,
      risk: risk,
      approval: .decision(.allow),
      denial: .decision(.deny)
    )
  }

  /// A dialog that takes an approval, unless `yes` is `nil`.
  private static func dialog(
    _ method: String,
    _ title: String,
    _ options: [String] = [],
    risk: Risk? = nil,
    yes: QuestionAnswer? = nil,
    no: QuestionAnswer = .cancelled
  ) -> Row {
    let body: JSONValue = [
      "title": .string(title), "options": .array(options.map(JSONValue.string)),
    ]
    return Row(
      name: "\(method) \(title) \(options)",
      request: .question(UserQuestion.sample(method, body)),
      needs: yes == nil ? .answer : .approval,
      risk: risk,
      approval: yes.map(RequestReply.answer),
      denial: .answer(no)
    )
  }

  private static let gate = "⚠\u{FE0F} Dangerous command:\n\n  rm -rf ./build\n\nAllow?"

  static let rows: [Row] = [
    call("ls", .read), call("make", .write), call("git push", .exfiltration),
    call("rm -rf build", .destructive), call("sudo ls", .high),
    dialog("confirm", "Go on?", yes: .confirmed(true)),
    dialog("confirm", gate, risk: .destructive, yes: .confirmed(true)),
    dialog(
      "select",
      gate,
      ["Yes", "No"],
      risk: .destructive,
      yes: .value("Yes"),
      no: .value("No")
    ),
    dialog("select", "Go on?", ["Block", "Allow"], yes: .value("Allow"), no: .value("Block")),
    dialog("select", "Go on?", ["Red", "Blue"]),
    dialog("select", gate, ["Yes", "No", "Yes, for this session"], risk: .destructive),
    dialog("select", "Trust?", ["Trust (remember)", "Trust this session", "Don't trust"]),
    dialog(
      "select",
      "Trust?",
      ["Trust (remember)", "Trust this session", "Don't trust (remember)"],
      no: .value("Don't trust (remember)")
    ),
    dialog("ask", "Which?"), dialog("input", "Run sudo ls?", risk: .high),
    dialog("input", "Name?"), dialog("editor", "Text?"), dialog("draw", "What?"),
  ]

  @Test("every list, count, filter and document agrees on class and risk", arguments: rows)
  func lists(row: Row) throws {
    let listed = ConsoleDesk.listed(row.request)
    let approval = listed.approval
    #expect(row.request.needs == row.needs && approval.needs == row.needs)
    #expect(row.request.risk == row.risk && approval.risk == row.risk)
    let json = ListedRequest.shape.document(of: listed)
    #expect(json["needs"].string == row.needs.rawValue)
    #expect(json["risk"] == (row.risk.map { .string($0.word) } ?? .null))
    let isHigh = row.risk?.isHigh == true
    var board = FleetView()
    board.pair([(ConsoleDesk.studio, "studio")])
    board.take(.init(at: ConsoleDesk.begin, requests: [listed]), of: ConsoleDesk.studio)
    #expect(board.openCount(.highRisk, at: ConsoleDesk.begin) == (isHigh ? 1 : 0))
    #expect(ApprovalsList.Options(isHighRisk: true).includes(listed) == isHigh)
    #expect((approval.mark.symbol == "▲") == isHigh)
    #expect((approval.mark == StatusMark(row.needs)) == (row.risk == nil))
    let isApproval = row.needs == .approval
    #expect(approval.mark.word.hasPrefix("waiting for an answer") == !isApproval)
    let text = RequestText.rows(of: row.request, width: 80).map(\.plain)
    if let risk = row.risk { #expect(text.contains(risk.statement), "\(text)") }
  }

  @Test("bars, sessions and notifications agree on class and urgency", arguments: rows)
  func glances(row: Row) {
    let approval = PendingApproval(row.request, clockOffset: .zero)
    let isApproval = row.needs == .approval
    let session = SessionStatus.sample("S", .waiting, approvals: [approval])
    let state = ContentState.of(session)
    #expect(state.status == (isApproval ? .awaitingApproval : .awaitingAnswer))
    #expect(state.pendingApprovals == (isApproval ? 1 : 0))
    #expect(state.pendingQuestions == (isApproval ? 0 : 1))
    #expect(state.approval?.risk == (isApproval ? row.risk : nil))
    #expect(session.note(at: .noon).hasPrefix(isApproval ? "approval: " : "question: "))
    let alert = Alert.sample(.approval(approval, of: 1))
    let text = AlertText(alert, request: row.request) { _ in "12:00:00" }
    #expect(text.summary.hasPrefix(row.needs.title))
    #expect(text.actions.last { $0.reply != nil }?.reply == row.denial)
    var desktop = WatchDesktop()
    let shown = desktop.notification(of: alert, text, row.request, at: .zero)
    #expect(shown.urgency == (isApproval ? .critical : .normal))
    #expect(shown.withoutActions.hasPrefix(isApproval ? "oppi approve " : "oppi answer "))
    let hint = row.request.answering("S").last ?? ""
    let isDialog = row.request.question != nil
    #expect(hint.hasPrefix(isDialog ? "answer it with: " : "decide with: "), "\(hint)")
    #expect(hint.contains(" --yes, or with --no") == (isDialog && isApproval), "\(hint)")
    let isRisky = row.risk?.isHigh == true
    let isOffered = text.actions.contains { $0.reply == row.approval && row.approval != nil }
    #expect(isOffered == (isApproval && !isRisky))
  }

  @Test(
    "approve and deny send the request's own reply, or name the command that can",
    arguments: rows
  )
  func replies(row: Row) throws {
    let approval = Result { () throws(OppiError) in
      try row.request.accepting(.decision(.allow))
    }
    switch (approval, row.approval) {
    case (.success(let reply), let expected?):
      #expect(reply == expected && reply.effect(on: row.request) == .allow)
    case (.failure(let error), nil):
      #expect(error.code == .badInput)
      #expect(error.hints.first == "answer with: oppi answer q VALUE…", "\(error)")
    default: Issue.record("\(approval)")
    }
    let denial = try row.request.accepting(.decision(.deny))
    #expect(denial == row.denial && denial == row.request.refusal)
    #expect(denial.effect(on: row.request) == .deny)
    var marks = BatchMarks()
    for (decision, word) in [(PermissionDecision.allow, "allow"), (.deny, "deny")] {
      let listed = ConsoleDesk.listed(row.request)
      let isMarked = marks.mark(listed, .decision(decision))
      #expect(isMarked == (decision == .deny || row.approval != nil))
      if isMarked { #expect(marks[listed.id]?.word == word) }
    }
    // The panel of a dialog marks with its answer.
    if let answer = row.approval {
      let listed = ConsoleDesk.listed(row.request)
      let isMarked = marks.mark(listed, answer)
      #expect(isMarked && marks[listed.id]?.word == "allow")
    }
  }
}
