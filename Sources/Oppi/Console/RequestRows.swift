// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// The rows of requests in the console's list.
enum RequestRows {
  /// The state as a symbol and words: proposed, being decided, or how it ended.
  static func state(of request: ListedRequest, at now: Timestamp) -> StatusMark {
    if let settlement = request.settlement(at: now) { return mark(of: settlement) }
    if case .sending(let reply) = request.state {
      return StatusMark("…", "\(noun(of: reply)) sent, not confirmed", .warning)
    }
    return StatusMark("!", "proposed, not run", .warning)
  }

  private static func noun(of reply: RequestReply) -> String {
    if reply.isRefusal { return "denial" }
    if case .decision = reply { return "approval" }
    return "answer"
  }

  private static func mark(of settlement: ListedRequest.Settlement) -> StatusMark {
    switch settlement.kind {
    case .expired: StatusMark("✗", "expired", .dim)
    case .elsewhere: StatusMark("●", "decided elsewhere or gone", .dim)
    case .recorded(false, "timeout"): StatusMark("✗", "expired", .dim)
    case .recorded(let isAllowed, let by):
      isAllowed
        ? StatusMark("✓", "approved elsewhere (\(by))", .success)
        : StatusMark("✗", "denied elsewhere (\(by))", .warning)
    case .replied(let reply, .decided): mark(of: reply)
    case .replied(_, .tooLate): StatusMark("●", "too late: already decided or expired", .dim)
    case .replied(_, .changed): StatusMark("●", "not decided: the call has changed", .warning)
    case .replied(_, .unconfirmed), .replied(_, .unknown):
      StatusMark("?", "your reply is not confirmed", .warning)
    }
  }

  /// The mark of a confirmed reply; no answer counts as an approval, whatever its text.
  private static func mark(of reply: RequestReply) -> StatusMark {
    switch reply {
    case .decision where !reply.isRefusal: StatusMark("✓", "\(reply.past) by you", .success)
    case .answer(.value(let text)):
      StatusMark("●", "answered '\(text.safeLine(limit: 40))' by you", .plain)
    case .answer(.confirmed(let isYes)):
      StatusMark("●", "answered '\(isYes ? "yes" : "no")' by you", .plain)
    case .answer where !reply.isRefusal: StatusMark("●", "\(reply.past) by you", .plain)
    case .decision, .answer: StatusMark("✗", "\(reply.past) by you", .warning)
    }
  }

  /// What a pending request is waiting for.
  static func need(of request: ListedRequest) -> String {
    request.approval.kind.isDecision ? "needs approval" : "needs an answer"
  }

  /// The time left, or the age of the settlement; empty for a request without a limit.
  static func time(of request: ListedRequest, at now: Timestamp) -> String {
    if let settlement = request.settlement(at: now) {
      return RelativeTime.ago(settlement.at, at: now)
    }
    guard let left = request.approval.secondsLeft(at: now) else { return "no time limit" }
    return "\(RelativeTime.age(seconds: left)) left"
  }

  fileprivate static func details(of request: ListedRequest, at now: Timestamp) -> StyledText {
    let isOpen = request.isOpen(at: now)
    let mark = isOpen ? request.approval.mark : state(of: request, at: now)
    var line = mark.line
    let style: Style = isOpen && request.isExpiring(at: now) ? .error : .dim
    line.append(", \(time(of: request, at: now))", style)
    line.append(", \(request.place.text)", .dim)
    if request.isScheduled { line.append(", from a schedule", .dim) }
    if let reason = request.approval.reason { line.append(", \(reason)", .dim) }
    return line
  }

  /// The request in full, without choices: for a preview, and after it ended.
  static func preview(of request: ListedRequest, width: Int, at now: Timestamp) -> [StyledText] {
    var head = state(of: request, at: now).line
    head.append(", \(time(of: request, at: now))", .dim)
    let end = request.settlement(at: now).map { "ended at \($0.at.iso8601)" }
    let place = [request.place.text, end].compactMap(\.self)
    let lines = [head] + place.map { StyledText($0, .dim) }
    return lines.flatMap { $0.folded(to: max(1, width)) } + [StyledText()]
      + content(of: request, width: width, at: now)
  }

  /// The contents of a request; only that of a pending one is called proposed.
  private static func content(
    of request: ListedRequest,
    width: Int,
    at now: Timestamp
  ) -> [StyledText] {
    guard !request.isOpen(at: now), case .permission(let call) = request.request else {
      return RequestText.rows(of: request.request, width: width)
    }
    let head = StyledText("requested: \(RevealedText(call.tool).line)", .dim)
    return [head.truncated(to: width)]
      + RequestText.body(of: call).flatMap { RequestText.indented($0, width: width) }
  }
}

extension ListedRequest: ListItem {
  /// One or two rows; the command comes first at any width.
  func rows(as row: ListRow, at now: Timestamp) -> [StyledText] {
    let style: Style = row.isSelected ? .name : isOpen(at: now) ? .plain : .dim
    return row.rows(StyledText(approval.call, style), RequestRows.details(of: self, at: now))
  }

  func detail(width: Int, at now: Timestamp) -> [StyledText] {
    RequestRows.preview(of: self, width: width, at: now)
  }

  func spoken(width: Int, at now: Timestamp) -> SpokenItem {
    let state = SpokenItem.State(text: isOpen(at: now) ? "open" : "ended", request: request)
    return SpokenItem(line: SpokenRows.line(of: self, at: now), state: state)
  }

  /// The command of the call, or the text of the dialog.
  var copyText: String { request.lines.joined(separator: "\n") }
}

/// The texts of empty lists.
enum ConsoleEmpty {
  static let chat = "Ask the agent to research or plan."

  /// The text of an empty list; `why` replaces it if the list is not known.
  static func text(_ text: String, unless why: String?, isFiltered: Bool) -> StyledText {
    StyledText(isFiltered ? "Nothing matches the filter." : why ?? text, .dim)
  }

  static let loading = "Waiting for the servers…"
  static let unknown = "No server has answered."
}

/// The console's lists as sentences for a listener: the state first, times last, no symbols.
enum SpokenRows {
  /// The most characters of a call or question in a list.
  private static let subjectLimit = 100

  static func line(of request: ListedRequest, at now: Timestamp) -> String {
    let state =
      request.isOpen(at: now)
      ? request.approval.mark.word : RequestRows.state(of: request, at: now).word
    let facts = [
      "\(state): \(subject(of: request))", request.approval.reason,
      request.isScheduled ? "from a schedule" : nil, "in \(request.place.text)",
      RequestRows.time(of: request, at: now),
    ]
    return facts.compactMap(\.self).sentence()
  }

  /// A request that needs a reply, as news.
  static func news(of request: ListedRequest) -> String {
    "\(RequestRows.need(of: request)): \(subject(of: request))"
      .joined(by: "; ", to: "in \(request.place.text)")
  }

  /// The tool and the beginning of the call, or of the question; not enough to decide.
  private static func subject(of request: ListedRequest) -> String {
    let lines: [String] =
      switch request.request {
      case .permission(let call): call.lines
      case .question(let question) where question.parts.isEmpty: RevealedText(question.text).plain
      case .question: [request.approval.summary]
      }
    let texts = lines.map(\.trimmed).filter { !$0.isEmpty }
    let all = texts.joined(separator: ", ")
    let start = all.count > subjectLimit ? "\(all.prefix(subjectLimit))…" : all
    let count = lines.count > 1 ? ", \(lines.count) lines" : ""
    // The kind of a dialog says nothing that its text does not.
    let tool = request.approval.kind == .permission ? "\(request.approval.tool): " : ""
    return "\(tool)\(start)\(count)"
  }

  static func line(of session: BoardSession, at now: Timestamp) -> String {
    let status = session.status
    let facts = [
      news(of: session, beside: status.note), changes(of: status),
      status.costText.isEmpty ? "" : "cost \(status.costText)",
      RelativeTime.ago(status.lastActivity, at: now),
    ]
    return facts.filter { !$0.isEmpty }.sentence()
  }

  /// A session whose state has changed, as news.
  static func news(of session: BoardSession, beside note: String = "") -> String {
    let isDone = [.idle, .done].contains(session.phase) && session.status.outcome == .finished
    let state = session.phase.word + (isDone ? ", finished" : "")
    let facts = [
      "\(state): \(session.status.goal ?? "no message yet")", note,
      "in \(WorkRows.workspace(of: session))",
    ]
    return facts.filter { !$0.isEmpty }.sentence()
  }

  private static func changes(of status: SessionStatus) -> String {
    status.changes.map { changes in
      "\(changes.files.counted("file")) changed, \(changes.addedLines.counted("line")) added, "
        + "\(changes.removedLines.counted("line")) removed"
    } ?? ""
  }

  /// A server that does not answer; `nil` if it answers.
  static func line(of server: ConsoleBoard.Server, at now: Timestamp) -> String? {
    guard let failure = server.failure else { return nil }
    let age = server.contactAt.map { "last answer \(RelativeTime.ago($0, at: now))" }
    let facts = ["\(server.name) \(failure.kind.words): \(failure.message)", failure.remedy, age]
    return facts.compactMap(\.self).sentence()
  }
}
