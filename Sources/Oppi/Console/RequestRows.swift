// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// A request in the console's list.
extension ListedRequest: ListItem {
  static let columns: [ListColumn<ListedRequest>] = [
    .cell("STATE", .kept) { $0.mark(in: $1).line },
    .cell("TIME", .context) { $0.timeCell(at: $1.now) }.toTheRight,
    .cell("RISK", .detail(2)) { row, view in
      let isRated = row.isOpen(at: view.now) && row.approval.risk != nil
      return isRated ? row.approval.mark.line : StyledText()
    },
    .cell("WHERE", .context) { StyledText($0.place(isOnlyServer: $1.isOnlyServer), .dim) },
    .text("REASON", .detail(1), .dim) { $0.isScheduled ? "from a schedule" : $0.approval.reason },
    .cell("REQUEST", .decides) { row, view in
      StyledText(row.approval.call, row.isOpen(at: view.now) ? .plain : .dim)
    },
  ]

  /// The workspace, with its server if there are several.
  func place(isOnlyServer: Bool) -> String {
    let names = [isOnlyServer ? nil : place.server, place.workspace].compactMap(\.self)
    return names.isEmpty ? server : names.joined(separator: "/")
  }

  /// The time left, else how long it has waited, or the age of its end.
  func timeCell(at now: Timestamp) -> StyledText {
    if let settlement = settlement(at: now) {
      return StyledText(RelativeTime.age(seconds: settlement.at.age(at: now)), .dim)
    }
    guard let left = approval.secondsLeft(at: now) else {
      return StyledText(RelativeTime.age(seconds: seenAt.age(at: now)))
    }
    let style: Style = isExpiring(at: now) ? .warning : .plain
    return StyledText("\(RelativeTime.age(seconds: left)) left", style)
  }

  /// The request in full, without choices: for a preview, and after it ended.
  func detail(width: Int, at now: Timestamp) -> [StyledText] {
    let place = StyledText(place.text, .dim)
    let time = StyledText(time(at: now), .dim)
    let end = settlement(at: now).map { StyledText("ended at \($0.at.iso8601)", .dim) }
    // The content of an open request begins with its state.
    let head = isOpen(at: now) ? [place, time] : [mark(at: now).line.with(", ").with(time), place]
    return (head + (end.map { [$0] } ?? [])).flatMap { $0.folded(to: max(1, width)) }
      + [StyledText()] + content(width: width, at: now)
  }

  /// The contents; only that of a pending request says what it waits for.
  private func content(width: Int, at now: Timestamp) -> [StyledText] {
    guard !isOpen(at: now) else { return RequestText.rows(of: request, width: width) }
    let name =
      request.permission.map { RevealedText($0.tool).line } ?? request.question?.extensionName
    let head = name.map { "requested\(request.permission == nil ? " by" : ""): \($0)" }
    return [head].compactMap(\.self).map { StyledText($0, .dim).truncated(to: width) }
      + RequestText.body(of: request).flatMap { RequestText.indented($0, width: width) }
  }

  /// The command of the call, or the text of the dialog.
  var copyText: String { request.lines.joined(separator: "\n") }

  // MARK: - Words

  /// Whether a reply of the user is under way.
  var isSending: Bool { if case .sending = state { true } else { false } }

  /// The state as a symbol and words: waiting, being decided, or how it ended.
  func mark(at now: Timestamp) -> StatusMark {
    if let settlement = settlement(at: now) { return mark(of: settlement) }
    if case .sending(let reply) = state {
      return StatusMark("…", "\(noun(of: reply)) sent, not confirmed", .warning)
    }
    return StatusMark(approval.needs)
  }

  /// The state in a word; it is doubtful while the server does not answer.
  func mark(in view: ListView) -> StatusMark {
    var mark = shortMark(at: view.now)
    let isDoubtful = isOpen(at: view.now) && view.lost.contains(id.serverID)
    if isDoubtful { (mark.symbol, mark.style) = ("?", .dim) }
    return mark
  }

  private func shortMark(at now: Timestamp) -> StatusMark {
    var mark = mark(at: now)
    switch (settlement(at: now)?.kind, state) {
    case (nil, .sending): mark.word = "sending"
    case (nil, _): mark.word = approval.needs == .approval ? "approve" : "answer"
    case (.expired, _), (.recorded(false, "timeout"), _): mark.word = "expired"
    case (.elsewhere, _): mark.word = "gone"
    case (.recorded(let isAllowed, _), _): mark.word = isAllowed ? "allowed" : "denied"
    case (.replied(_, .tooLate), _): mark.word = "too late"
    case (.replied(_, .changed), _): mark.word = "changed"
    case (.replied(_, .unconfirmed), _), (.replied(_, .unknown), _): mark.word = "unknown"
    case (.replied(let reply, .decided), _):
      switch reply.effect(on: request) {
      case .allow: mark.word = "allowed"
      case .deny: mark.word = "denied"
      case .answer: mark.word = "answered"
      }
    }
    return mark
  }

  private func noun(of reply: RequestReply) -> String {
    switch reply.effect(on: request) {
    case .allow: "approval"
    case .deny: "denial"
    case .answer: "answer"
    }
  }

  private func mark(of settlement: Settlement) -> StatusMark {
    switch settlement.kind {
    case .expired:
      request.allowanceNote == nil
        ? StatusMark("✗", "expired", .dim)
        : StatusMark("!", "expired, allowed by the server", .warning)
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
      StatusMark("?", "your reply is not confirmed", .unknown)
    }
  }

  /// The mark of a confirmed reply.
  private func mark(of reply: RequestReply) -> StatusMark {
    let past =
      switch reply {
      case .answer(.value(let text)): "answered '\(text.safeLine(limit: 40))'"
      case .answer(.confirmed(let isYes)): "answered '\(isYes ? "yes" : "no")'"
      case .decision, .answer: reply.past
      }
    return switch reply.effect(on: request) {
    case .allow: StatusMark("✓", "\(past) by you", .success)
    case .deny: StatusMark("✗", "\(past) by you", .error)
    case .answer: StatusMark("●", "\(past) by you", .plain)
    }
  }

  /// The time left, or the age of the settlement; empty for a request without a limit.
  private func time(at now: Timestamp) -> String {
    if let settlement = settlement(at: now) { return RelativeTime.ago(settlement.at, at: now) }
    guard let left = approval.secondsLeft(at: now) else { return "no time limit" }
    return "\(RelativeTime.age(seconds: left)) left"
  }

  // MARK: - For a listener

  /// The most characters of a call or question in a list.
  private static let subjectLimit = 100

  /// The state first, the time last, no symbols.
  func spoken(width: Int, at now: Timestamp) -> SpokenItem {
    let isOpen = isOpen(at: now)
    let facts = [
      "\((isOpen ? approval.mark : mark(at: now)).word): \(subject)", approval.reason,
      isScheduled ? "from a schedule" : nil, "in \(place.text)", time(at: now),
    ]
    return SpokenItem(
      line: facts.compactMap(\.self).sentence(),
      state: .init(text: isOpen ? "open" : "ended", request: request)
    )
  }

  /// That it needs a reply.
  var news: String {
    "\(approval.needs.state): \(subject)".joined(by: "; ", to: "in \(place.text)")
  }

  /// The tool and the beginning of the call, or of the question; not enough to decide.
  private var subject: String {
    let lines: [String] =
      switch request {
      case .permission(let call): call.lines
      case .question(let question) where question.parts.isEmpty: RevealedText(question.text).plain
      case .question: [approval.summary]
      }
    let texts = lines.map(\.trimmed).filter { !$0.isEmpty }
    let all = texts.joined(separator: ", ")
    let start = all.count > Self.subjectLimit ? "\(all.prefix(Self.subjectLimit))…" : all
    let count = lines.count > 1 ? ", \(lines.count) lines" : ""
    // The kind of a dialog says nothing that its text does not.
    let tool = approval.kind == .permission ? "\(approval.tool): " : ""
    return "\(tool)\(start)\(count)"
  }
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

extension FleetView.Server {
  /// That it does not answer, for a listener; `nil` if it answers.
  func spoken(at now: Timestamp) -> String? {
    guard let failure else { return nil }
    let words = "\(name) \(failure.kind.words): \(failure.message)"
    return [words, failure.remedy, lastAnswer(at: now)].compactMap(\.self).sentence()
  }

  /// When it last answered; `nil` if it has not answered yet.
  func lastAnswer(at now: Timestamp) -> String? {
    answer.map { "last answer \(RelativeTime.ago($0.at, at: now))" }
  }
}
