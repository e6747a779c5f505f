// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A glance at all sessions, in the format that was asked for.
struct StatusReport {
  let glance: Glance
  let now: Timestamp

  init(_ state: ContentState, at now: Timestamp) {
    glance = Glance(state, at: now)
    self.now = now
  }

  private var state: ContentState { glance.state }

  /// The answer of a command that answers once.
  func report(_ format: StatusFormat, _ presentation: StatusPresentation) -> Report {
    let document = document
    var report = Report(document, text(format, presentation, document))
    if format.tellsUrgency, state.status == .awaitingApproval { report.ending = .approvalWaits }
    return report
  }

  /// A piece of a stream.
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
    case .people: .lines(glance.lines(presentation))
    case .bar(let lines): .bar(lines(glance, presentation))
    }
  }

  // MARK: - For programs

  static let shape: JSONShape<StatusReport> = [
    .member("at", "When it was looked at") { .string($0.now.iso8601) },
    .member("status", statuses) { .string($0.state.status.rawValue) },
    .member("text", "The same in words, for whoever hears it") { .string($0.glance.text) },
    .member("stale", "Whether nothing was heard for 5 minutes, so that it may be otherwise") {
      .bool($0.state.isStale)
    },
    .member("ageSeconds", "How long ago it was heard, or null") { .optional($0.state.ageSeconds) },
    .object("session", "The session that matters most, where there is one", shownShape) {
      $0.state.shown
    },
    .member("operation", "What its agent does, or what went wrong, or null") {
      $0.state.operation.map(JSONValue.string) ?? .null
    },
    .member("elapsedSeconds", "How long its turn takes already, or took, or null") {
      .optional($0.state.elapsedSeconds)
    },
    .object("todo", "How far its list of things to do is done, where it has one", todoShape) {
      $0.state.todo
    },
    .member("pendingApprovals", "How many requests wait for approval") {
      .integer(Int64($0.state.pendingApprovals))
    },
    .object("approval", "The most urgent of them, where there is one", approvalShape) { report in
      report.state.approval.map { ($0, report.now) }
    },
    .member("pendingQuestions", "How many questions wait for an answer") {
      .integer(Int64($0.state.pendingQuestions))
    },
    .member("question", "What the session asks, where that is what it waits for") {
      $0.state.shown?.session.question.map { .string($0.text) }
    },
    .object("sessions", "How many sessions are in each state", countShape) { $0.state.counts },
    .list("unreachable", "The servers that cannot be asked", absenceShape) { $0.state.absences },
  ]

  private static let statuses =
    "awaitingApproval, awaitingAnswer, error, processing, completed, idle, offline or notPaired"

  private static let shownShape: JSONShape<ContentState.Shown> = [
    .member("id", "Its id") { .string($0.session.id) },
    .member("state", "waiting, failed, running, idle or done") {
      .string($0.session.phase.rawValue)
    },
    .member("goal", "Its name, else the beginning of its first message, or null") {
      $0.session.goal.map(JSONValue.string) ?? .null
    },
    .workspace("Its workspace") { shown in
      WorkspaceLabel(
        serverID: shown.serverID,
        id: shown.session.workspaceID,
        name: shown.session.workspaceName
      )
    },
    .server("Its server", id: { $0.serverID }, name: { $0.server }),
  ]

  private static let todoShape: JSONShape<TodoProgress> = [
    .member("completed", "How many are done") { .integer(Int64($0.completed)) },
    .member("total", "How many there are") { .integer(Int64($0.total)) },
    .member("current", "What is being worked on, else what comes next, or null") {
      $0.current.map(JSONValue.string) ?? .null
    },
  ]

  private static let approvalShape: JSONShape<(approval: PendingApproval, now: Timestamp)> = [
    .member("id", "What it is decided on by") { .string($0.approval.id) },
    .member("tool", "The tool that would be called") { .string($0.approval.tool) },
    .member("risk", "What it may do at worst, as far as its words tell") {
      .string($0.approval.risk.word)
    },
    .member("summary", "What the call would do; of a long one the start") {
      .string($0.approval.summary)
    },
    .member("reason", "Why it was asked for, or null") {
      $0.approval.reason.map(JSONValue.string) ?? .null
    },
    .member("expiresAt", "When it is denied by itself, or null") {
      $0.approval.expiresAt.map { .string($0.iso8601) } ?? .null
    },
    .member("secondsLeft", "How long until then, or null") {
      .optional($0.approval.secondsLeft(at: $0.now))
    },
  ]

  private static let countShape = JSONShape<[SessionPhase: Int]>(
    SessionPhase.allCases.map { phase in
      .member(phase.rawValue, "How many are \(phase.rawValue)") {
        .integer(Int64($0[phase] ?? 0))
      }
    }
  )

  private static let absenceShape: JSONShape<ContentState.Absence> = [
    .member("server", "What it is called here") { .string($0.server) },
    .member("error", "Why it cannot be asked") { .string($0.reason) },
    .member("ageSeconds", "How long ago it last answered, or null") { .optional($0.ageSeconds) },
  ]
}

extension JSONValue {
  /// A number where there is one.
  fileprivate static func optional(_ number: Int?) -> JSONValue {
    number.map { .integer(Int64($0)) } ?? .null
  }
}
