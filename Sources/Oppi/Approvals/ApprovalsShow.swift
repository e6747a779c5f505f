// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering

/// `oppi approvals show`: one request in full.
enum ApprovalsShow {
  static let command: Command = Command(
    "show",
    "Show a pending tool call or dialog in full",
    discussion: """
      The call is shown exactly as it would run, and a dialog with its numbered choices, \
      character by character, with its own line breaks. Invisible characters are shown as \
      \\u{...} and counted. Nothing is omitted.
      """,
    examples: [CommandExample("oppi approvals show 9T1aeoZLDYNQ", "Read a call before you decide")],
    exitStatuses: [0, 5, 64, 66, 69, 75, 76, 77, 78],
    members: ListedRequest.shape.rows,
    positional: RequiredPositional<RequestName>(
      "id",
      completion: .dynamic("request"),
      "The request's id, or the start of it"
    ),
    run: run
  )

  static func run(_ name: RequestName, in context: Context) async throws -> Report {
    let row = try await ApprovalQueue.ask(context.fleet(), for: [name.text], in: context.intents)
      .request(named: name.text)
    let width = context.console.policy.form == .eyes ? context.console.policy.width : Int.max
    var report = Report(
      ListedRequest.shape.document(of: row),
      .page { RequestText.rows(of: row.request, width: width) + place(of: row) },
      notes: [.hint(hint(for: row.request))]
    )
    report.isLong = Report.isLong(row.request.size)
    return report
  }

  /// The commands that reply to a request.
  private static func hint(for request: HumanRequest) -> String {
    let id = request.id
    guard request.isWhole else { return "deny with: oppi deny \(id.asOperand)" }
    return request.kind.isDecision
      ? "decide with: oppi approve \(id.asOperand), or: oppi deny \(id.asOperand)"
      : "answer with: oppi answer \(id.asOperand) VALUE…, or cancel with: oppi deny \(id.asOperand)"
  }

  /// The origin and the time left.
  private static func place(of row: ListedRequest) -> [StyledText] {
    let session = row.request.sessionID?.safeLine(limit: 40) ?? ""
    let goal = row.session?.goal.map { " (\($0))" } ?? ""
    return [
      StyledText("session: \(row.server.name)/\(session)\(goal)", .dim),
      StyledText("time: \(row.timeLeft)", row.isExpiring ? .error : .dim),
    ]
  }
}

extension HumanRequest {
  /// The size of the content, in bytes.
  fileprivate var size: Int {
    switch self {
    case .permission(let request): request.input.text().utf8.count
    case .question(let question): question.body.text().utf8.count
    }
  }
}
