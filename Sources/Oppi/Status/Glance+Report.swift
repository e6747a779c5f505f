// SPDX-License-Identifier: MIT

import OppiModel

/// The output of `status` in the selected format.
extension Glance {
  /// The report of a single run.
  func report(_ format: StatusFormat, _ presentation: StatusPresentation) -> Report {
    let document = document
    var report = Report(document, text(format, presentation, document))
    if format.tellsUrgency, state.status == .awaitingApproval { report.ending = .approvalWaits }
    return report
  }

  /// A line of `--follow`.
  func step(_ format: StatusFormat, _ presentation: StatusPresentation) -> Report {
    let line = JSONValue.object((document.object ?? [:]).adding(["type": "status"]))
    return .step([line], text(format, presentation, line))
  }

  private var document: JSONValue { Self.shape.document(of: self) }

  private func text(
    _ format: StatusFormat,
    _ presentation: StatusPresentation,
    _ document: JSONValue
  ) -> Report.Text {
    switch format.form {
    case .document: .text(document.text())
    case .people: .lines(lines(presentation))
    case .bar(let bar): .bar(bar(self, presentation))
    }
  }

  // MARK: - JSON

  static let shape: JSONShape<Glance> = [
    .text("at", "When the status was determined") { $0.now.iso8601 },
    .text("status", statuses) { $0.state.status.rawValue },
    .text("text", "The status in words, for screen readers") { $0.text },
    .bool("stale", "Whether the data is older than 5 minutes") { $0.state.isStale },
    .number("ageSeconds", "The age of the data, or null") { $0.state.ageSeconds },
    .object("session", "The most important session, if any", shownShape) {
      $0.state.shown
    },
    .text("operation", "The agent's current operation, or the error, or null") {
      $0.state.operation
    },
    .number("elapsedSeconds", "The duration of its turn so far, or null") {
      $0.state.elapsedSeconds
    },
    .object("todo", "The progress of its to-do list, if it has one", todoShape) {
      $0.state.todo
    },
    .number("pendingApprovals", "The number of pending approvals") { $0.state.pendingApprovals },
    .object("approval", "The most urgent approval, if any", approvalShape) { glance in
      glance.state.approval.map { ($0, glance.now) }
    },
    .number("pendingQuestions", "The number of pending questions") { $0.state.pendingQuestions },
    .optionalText("question", "The pending question of the session, if any") {
      $0.state.shown?.status.questionText
    },
    .object("sessions", "The number of sessions in each state", countShape) { $0.state.counts },
    .list("unreachable", "The servers that could not be queried", absenceShape) {
      $0.state.absences
    },
  ]

  private static let statuses =
    "awaitingApproval, awaitingAnswer, error, processing, completed, idle, offline or notPaired"

  private static let shownShape: JSONShape<BoardSession> = [
    .text("id", "Its id") { $0.status.id },
    .text("state", "As phase, but done where that is ended") { $0.phase.rawValue },
    .text("phase", SessionPhase.words) { $0.phase.word },
    .text("goal", "Its name, else the start of its first message, or null") { $0.status.goal },
    .workspace("Its workspace") { shown in
      WorkspaceLabel(
        serverID: shown.id.serverID,
        id: shown.status.workspaceID,
        name: shown.status.workspaceName
      )
    },
    .server("Its server", id: { $0.id.serverID }, name: { $0.server }),
  ]

  private static let todoShape: JSONShape<TodoProgress> = [
    .number("completed", "The number of completed items") { $0.completed },
    .number("total", "The number of items") { $0.total },
    .text("current", "The current item, else the next one, or null") { $0.current },
  ]

  private static let approvalShape: JSONShape<(approval: PendingApproval, now: Timestamp)> = [
    .text("id", "Its id") { $0.approval.id },
    .text("kind", "permission for a tool call, confirm for a dialog") { $0.approval.kind.word },
    .text("tool", "The tool to be called, or the dialog's kind") { $0.approval.tool },
    .text("risk", "The estimated risk of the call, or null for a dialog") { $0.approval.riskWord },
    .text("summary", "A summary of the call, truncated if long") { $0.approval.summary },
    .text("reason", "The reason for the request, or null") { $0.approval.reason },
    .text("expiresAt", "When it is auto-denied, or null") { $0.approval.expiresAt?.iso8601 },
    .number("secondsLeft", "The time until then, or null") {
      $0.approval.secondsLeft(at: $0.now)
    },
  ]

  private static let countShape = JSONShape<[SessionPhase: Int]>(
    SessionPhase.allCases.map { phase in
      .number(phase.rawValue, "The number of sessions in state \(phase.word)") {
        $0[phase] ?? 0
      }
    }
  )

  private static let absenceShape: JSONShape<ContentState.Absence> = [
    .text("server", "Its local name") { $0.server },
    .text("error", "Why it could not be queried") { $0.reason },
    .number("ageSeconds", "The time since its last answer, or null") { $0.ageSeconds },
  ]
}
