// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
package import OppiModel
package import OppiTerminal
package import OppiText
import OppiWire

/// A content state as symbols and words, the same for every bar; all text is safe to show.
package struct BarText: Sendable {
  package let state: ContentState
  let now: Timestamp
  let mark: StatusMark

  /// Creates a glance; the time left for a decision is relative to `now`.
  package init(_ state: ContentState, at now: Timestamp) {
    self.state = state
    self.now = now
    mark = StatusMark(state.status)
  }

  /// The lines of a presentation; at least one, and none is empty.
  package func lines(_ presentation: StatusPresentation) -> [StyledText] {
    switch presentation {
    case .minimal: [StyledText(symbol, mark.style)]
    case .compact: [compact]
    case .expanded: expanded
    }
  }

  package func line(_ presentation: StatusPresentation) -> String {
    lines(presentation).map(\.plain).joined(separator: " · ")
  }

  /// The state in words only, for screen readers.
  package var text: String {
    let words = [mark.word] + [place, time].compactMap(\.self)
    return ([words.joined(separator: ", ")] + details.map(\.plain) + notes.map(\.plain))
      .sentence()
  }

  /// A single-column symbol of the state, with a mark if the state is old.
  private var symbol: String { mark.symbol + (isOld ? "~" : "") }

  /// Whether the state is old; an offline server has its own state.
  private var isOld: Bool { state.isStale && state.status != .offline }

  // MARK: - Compact

  private var compact: StyledText {
    var line = StyledText("\(symbol) \(word)", mark.style)
    for text in counters { line.append(" \(text)") }
    return line
  }

  private var word: String {
    switch state.status {
    case .awaitingApproval: pending ?? Self.count(state.pendingApprovals, .approval)
    case .awaitingAnswer: Self.count(state.pendingQuestions, .answer)
    case .processing:
      [Self.number(state.counts[.running] ?? 1), SessionPhase.running.word].compactMap(\.self)
        .joined(separator: " ")
    case .error, .completed, .idle: mark.word.lowercased()
    case .offline: "offline"
    case .notPaired: "not paired"
    }
  }

  /// The pending approvals and questions, if there are both.
  var pending: String? {
    guard state.pendingApprovals > 0, state.pendingQuestions > 0 else { return nil }
    let counts: [(Int, RequestNeed)] = [
      (state.pendingApprovals, .approval), (state.pendingQuestions, .answer),
    ]
    return counts.map { $0 > 1 ? Self.count($0, $1) : "1 \($1.noun)" }
      .joined(separator: ", ")
  }

  private var counters: [String] {
    switch state.status {
    case .offline: [age.map { "(\($0) old)" }].compactMap(\.self)
    case .awaitingApproval: [wait].compactMap(\.self) + oldNote
    case .processing: [elapsed, todoCount].compactMap(\.self) + oldNote
    default: oldNote
    }
  }

  private var oldNote: [String] { isOld ? ["(\(age.map { "\($0) old" } ?? "old"))"] : [] }

  /// A count with its noun; the noun alone for one.
  private static func count(_ count: Int, _ need: RequestNeed) -> String {
    number(count).map { "\($0) \(need.noun)s" } ?? need.noun
  }

  /// A number of at most four characters; `nil` for one or less.
  static func number(_ count: Int) -> String? {
    switch count {
    case ...1: nil
    case ...999: String(count)
    default: "999+"
    }
  }

  // MARK: - Times

  /// The duration of the turn according to the latest data.
  var elapsed: String? { state.elapsedSeconds.map(ElapsedTime.clock) }

  /// The time left for a pending approval, the age of an offline server's state, or the turn's
  /// duration.
  var time: String? {
    state.status == .offline
      ? state.ageSeconds.map(Self.lastAnswer) : wait.map { "\($0) left" } ?? elapsed
  }

  /// When the server of a stored state answered 'oppi watch', which alone stores it; other commands
  /// may have reached the server since, so this is not how long it is absent.
  private static func lastAnswer(ageSeconds: Int) -> String {
    "last answer to oppi watch \(RelativeTime.age(seconds: ageSeconds)) ago"
  }

  var wait: String? {
    guard state.status == .awaitingApproval else { return nil }
    return state.approval?.secondsLeft(at: now).map(ElapsedTime.clock)
  }

  var age: String? { state.ageSeconds.map { RelativeTime.age(seconds: $0) } }

  private var todoCount: String? {
    state.todo.flatMap { todo in todo.total > 0 ? "\(todo.completed)/\(todo.total)" : nil }
  }

  /// The colour of the text for bars without a style sheet, as `#RRGGBB`; `nil` for the bar's own.
  ///
  /// The background is the bar's and not known, so each colour has about the same contrast, at least
  /// 4 to 1, on black and on white. It adds nothing to the symbol and the words.
  var color: String? {
    switch state.status {
    case .awaitingApproval: "#b96a00"
    case .awaitingAnswer: "#b04fd8"
    case .error: "#e0443e"
    case .processing: nil
    case .completed: "#1f8a3f"
    case .idle, .offline, .notPaired: "#767676"
    }
  }
}

/// The detail of a glance, named like the presentations of the Dynamic Island.
package enum StatusPresentation: String, Sendable, CaseIterable {
  case minimal
  /// The symbol, a word and counters.
  case compact
  /// All details, in several lines.
  case expanded
}

extension BarText {
  /// The maximum number of listed servers that are unreachable.
  private static let absenceLimit = 5
  private static let lineLimit = 200

  var expanded: [StyledText] { [headline] + details + notes }

  private var headline: StyledText {
    var line = mark.line
    if let place { line.append(": \(place)", .name) }
    if let time { line.append("  \(time)", .dim) }
    return line
  }

  var place: String? {
    guard state.status != .offline, let shown = state.shown else { return nil }
    let workspace = shown.status.workspaceName ?? shown.status.workspaceID ?? shown.status.id
    return Self.safe("\(workspace) on \(shown.server)")
  }

  /// The goal of the shown session, and its pending request, operation or error.
  var details: [StyledText] {
    guard state.status != .offline else { return [] }
    var lines: [StyledText] = []
    func add(_ text: String?, _ style: Style = .plain) {
      if let text = text.map(Self.safe), !text.isEmpty { lines.append(StyledText(text, style)) }
    }
    add(state.shown?.status.goal)
    switch state.status {
    case .awaitingApproval:
      add(state.approval?.call, .code)
      add(state.approval?.riskStatement, .warning)
      add(state.approval?.reason.map { "reason: \($0)" }, .dim)
    case .awaitingAnswer: add(state.shown?.status.questionText, .warning)
    case .error: add(state.operation, .error)
    case .processing: add(state.operation)
    case .completed, .idle, .offline, .notPaired: break
    }
    if state.status != .completed { add(todo) }
    return lines
  }

  private var todo: String? {
    guard let todo = state.todo, todo.total > 0 else { return nil }
    return "\(todo.completed) of \(todo.total) done" + (todo.current.map { ": \($0)" } ?? "")
  }

  /// The numbers of sessions, unreachable servers and the age of old data.
  var notes: [StyledText] {
    var lines: [String] = []
    let phases = SessionPhase.allCases.filter { $0 != .done }
    let counts = phases.compactMap { phase -> String? in
      guard let count = state.counts[phase], count > 0 else { return nil }
      return "\(Self.number(count) ?? "1") \(phase.word)"
    }
    if !counts.isEmpty {
      let title = state.isStale ? "last known" : "sessions"
      lines.append("\(title): \(counts.joined(separator: ", "))")
    }
    if let pending { lines.append("pending: \(pending)") }
    lines += state.absences.prefix(Self.absenceLimit).map(Self.line)
    let hidden = state.absences.count - Self.absenceLimit
    if hidden > 0 { lines.append("\(hidden.counted("more server")) unreachable") }
    if state.isStale, state.status != .offline {
      lines.append(age.map { "as of \($0) ago" } ?? "no data yet")
    }
    if state.status == .notPaired { lines.append("pair with a server: oppi pair -") }
    return lines.map { StyledText(Self.safe($0), .dim) }
  }

  private static func line(_ absence: ContentState.Absence) -> String {
    let age = absence.ageSeconds.map(lastAnswer)
    // Most reasons name the server.
    let isNamed = names(absence.server, absence.reason)
    let words = isNamed ? [absence.reason, age] : [age, absence.reason]
    let text = words.compactMap(\.self).joined(separator: ", ")
    return isNamed ? text : "\(absence.server): \(text)"
  }

  /// Whether a text contains a name that is not a part of a longer word.
  private static func names(_ name: String, _ text: String) -> Bool {
    func isWord(_ character: Character?) -> Bool {
      character.map { $0.isLetter || $0.isNumber } ?? false
    }
    return text.ranges(of: name).contains { range in
      !isWord(text[..<range.lowerBound].last) && !isWord(text[range.upperBound...].first)
    }
  }

  private static func safe(_ text: String) -> String { text.safeLine(limit: lineLimit) }
}

/// The output of `status` in the selected format.
extension BarText {
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

  static let shape: JSONShape<BarText> = [
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

  private static let shownShape: JSONShape<ListedSession> = [
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
    .text("kind", "permission for a tool call, confirm or select for a dialog") {
      $0.approval.kind.word
    },
    .text("tool", "The tool to be called, or the dialog's kind") { $0.approval.tool },
    .text("risk", "The estimated risk, or null if it is unknown") { $0.approval.risk?.word },
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
    .number("ageSeconds", "The time since its last answer to oppi watch, or null") {
      $0.ageSeconds
    },
  ]
}

extension StatusPresentation: ArgumentValue {}
