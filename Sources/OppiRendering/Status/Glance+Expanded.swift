// SPDX-License-Identifier: MIT

import OppiModel

extension Glance {
  /// The maximum number of listed servers that are unreachable.
  private static let absenceLimit = 5
  private static let lineLimit = 200

  var expanded: [StyledText] { [headline] + details + notes }

  private var headline: StyledText {
    var line = StyledText("\(mark.symbol) \(mark.word)", mark.style)
    if let place { line.append(": \(place)", .name) }
    if let time { line.append("  \(time)", .dim) }
    return line
  }

  var place: String? {
    guard state.status != .offline, let shown = state.shown else { return nil }
    let workspace = shown.session.workspaceName ?? shown.session.workspaceID ?? shown.session.id
    return Self.safe("\(workspace) on \(shown.server)")
  }

  /// The goal of the shown session, and its pending request, operation or error.
  var details: [StyledText] {
    guard state.status != .offline else { return [] }
    var lines: [StyledText] = []
    func add(_ text: String?, _ style: Style = .plain) {
      if let text = text.map(Self.safe), !text.isEmpty { lines.append(StyledText(text, style)) }
    }
    add(state.shown?.session.goal)
    switch state.status {
    case .awaitingApproval:
      add(state.approval?.call, .code)
      add(state.approval?.riskStatement, .warning)
      add(state.approval?.reason.map { "reason: \($0)" }, .dim)
    case .awaitingAnswer: add(state.shown?.session.questionText, .warning)
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
    let age = absence.ageSeconds.map { "no answer for \(RelativeTime.age(seconds: $0))" }
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
