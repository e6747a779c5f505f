// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// An open request of the console: the panel of the chat, with the same rules, without a draft.
///
/// Keys without a pause before them are dropped. Nothing is selected at first, an approval needs the
/// end of the request on the screen, and only Enter decides.
struct RequestDetail: Sendable {
  enum Outcome: Sendable, Equatable {
    case taken
    /// Back to the list.
    case closed
    case replied(RequestReply, because: String?)
  }

  /// What a confirmed choice does.
  enum Purpose: Sendable {
    /// It is sent at once.
    case decide
    /// It is kept until all marks are sent; it applies to this call only.
    case mark

    fileprivate var choices: [ApprovalPanel.Choice] {
      self == .mark ? [.allowOnce, .deny] : ApprovalPanel.Choice.allCases
    }

    /// What Enter does, in one word.
    fileprivate var verb: String { self == .mark ? "mark" : "confirm" }
  }

  /// The rows for the notice above the panel's choices, and for the head.
  private static let rowsBesidePanel = 3

  let id: BoardRequest.ID
  private(set) var request: BoardRequest
  private let isReadOnly: Bool
  private var panel: ChatPanel?
  private let way: Dialect.Requests
  private let purpose: Purpose
  private var answers: ChatAnswers
  private var reason: Composer?
  private var reasonGuard = ReasonGuard()
  private(set) var note: String?
  /// The position in a request without a panel.
  private var scroll = DetailScroll()
  private var size = ScreenSize(columns: 80, rows: 20)

  /// `way` is what asks a human on the request's server.
  init(
    _ request: BoardRequest,
    for way: Dialect.Requests,
    isReadOnly: Bool,
    to purpose: Purpose = .decide
  ) {
    (id, self.request, self.way, self.isReadOnly) = (request.id, request, way, isReadOnly)
    self.purpose = purpose
    answers = ChatAnswers(for: way)
    makePanel(after: nil)
  }

  /// Whether the request can be decided here.
  var isOpen: Bool { panel != nil }

  /// Takes the latest state of the request; one that changed is a new request, with nothing selected.
  mutating func update(_ latest: BoardRequest, at now: Timestamp) {
    let isSame = latest.request == request.request
    request = latest
    if !latest.isOpen(at: now) {
      (panel, reason) = (nil, nil)
    } else if !isSame || panel == nil {
      (reason, note) = (nil, isSame ? nil : QuestionText.changed)
      // What was answered of the earlier request does not answer this one.
      if !isSame { answers = ChatAnswers(for: way) }
      makePanel(after: nil)
    }
  }

  private mutating func makePanel(after last: QuestionPanel?) {
    guard !isReadOnly, request.state == .pending else {
      panel = nil
      return
    }
    switch request.request {
    case .permission(let permission):
      panel = .approval(ApprovalPanel(permission, offering: purpose.choices))
    case .question(let question):
      guard let part = answers.next(of: question) else {
        panel = nil
        return
      }
      panel = .question(last.map { $0.next(part) } ?? QuestionPanel(part))
    }
  }

  // MARK: - Keys

  mutating func take(_ key: Key, at pressed: Duration) -> Outcome {
    note = nil
    if reason != nil { return writeReason(key, at: pressed) }
    guard key != .escape, key != .control("c") else { return .closed }
    switch panel {
    case .approval(var approval)?:
      let outcome = approval.take(key, at: pressed)
      panel = .approval(approval)
      guard let choice = confirmed(outcome) else { return .taken }
      if choice == .denyWithReason {
        reason = Composer()
        reasonGuard = ReasonGuard(openedAt: pressed)
        return .taken
      }
      return .replied(.decision(choice.decision), because: nil)
    case .question(var question)?:
      let outcome = question.take(key, at: pressed)
      panel = .question(question)
      guard let answer = confirmed(outcome) else { return .taken }
      guard answer != .cancelled else { return .replied(.answer(answer), because: nil) }
      if let whole = answers.take(answer, to: question.question) {
        return .replied(.answer(whole), because: nil)
      }
      makePanel(after: question)
      return .taken
    case nil:
      scroll.scroll(by: key)
      return .taken
    }
  }

  /// Returns the confirmed decision of a key, if any.
  private mutating func confirmed<Decision>(_ outcome: PanelOutcome<Decision>) -> Decision? {
    switch outcome {
    case .confirmed(let decision): return decision
    case .unconfirmed(let why): note = why
    case .taken, .typed: break
    }
    return nil
  }

  private mutating func writeReason(_ key: Key, at pressed: Duration) -> Outcome {
    if key == .escape || key == .control("c") {
      reason = nil
      panel = panel?.shownAgain
      return .taken
    }
    reasonGuard.take(key, at: pressed)
    guard case .send(let text)? = reason?.apply(key) else { return .taken }
    guard reasonGuard.lets(at: pressed) else {
      reason?.replace(text)
      note = "press Enter again to deny with this reason"
      return .taken
    }
    reason = nil
    return .replied(.decision(.deny), because: text)
  }

  // MARK: - Time

  mutating func wasShown(at now: Duration) {
    if reason == nil { panel?.wasShown(at: now) }
  }

  mutating func wait(at now: Duration) { panel?.wait(at: now) }

  /// After a stop of the program, keys need a new pause.
  mutating func isShownAgain() { panel = panel?.shownAgain }

  // MARK: - View

  mutating func fit(_ size: ScreenSize) {
    self.size = size
    panel?.fit(columns: size.columns, rows: size.rows - Self.rowsBesidePanel)
  }

  mutating func layOut(at now: Timestamp) {
    guard panel == nil else {
      scroll = DetailScroll()
      return
    }
    let rows = RequestRows.preview(of: request, width: size.columns, at: now)
    scroll.fit(rows.count, room: size.rows - 1)
  }

  /// The view for the last size; the cursor stands on the selected choice, or in the text.
  ///
  /// `clockOffset` is how far the server's clock is ahead of `now`.
  func view(at now: Timestamp, clockOffset: Duration) -> ScreenBlock {
    guard let panel else {
      let rows = RequestRows.preview(of: request, width: size.columns, at: now)
      let below = scroll.below
      let more = below > 0 ? [StyledText("PageDown: \(below) more rows", .warning)] : []
      return ScreenBlock(lines: rows.shown(scroll) + more, cursor: (0, 0))
    }
    let place = StyledText(request.place.text, .dim).truncated(to: size.columns)
    let serverNow = now.moved(by: clockOffset)
    var block: ScreenBlock
    switch panel {
    case .approval(let panel):
      block = ScreenBlock(
        lines: panel.view(serverNow: serverNow, folder: nil),
        cursor: panel.cursor
      )
    case .question(let panel):
      block = panel.view(rows: size.rows - Self.rowsBesidePanel, serverNow: serverNow)
    }
    if let reason {
      let field = reason.layout(
        width: size.columns,
        prompt: StyledText("reason › ", .name),
        maxRows: max(1, size.rows / 3)
      )
      let room = max(0, size.rows - field.lines.count - 2)
      block = ScreenBlock(
        lines: Array(block.lines.prefix(room)) + field.lines,
        cursor: (min(room, block.lines.count) + field.cursor.row, field.cursor.column)
      )
    }
    return ScreenBlock(
      lines: [place] + block.lines + [notice],
      cursor: (1 + (block.cursor?.row ?? 0), block.cursor?.column ?? 0)
    )
  }

  private var notice: StyledText {
    if let note { return StyledText(note, .warning) }
    if reason != nil { return StyledText("Enter: deny with this reason, Esc: back", .dim) }
    let isClosed = panel?.closedNotice != nil
    if isClosed { return StyledText("pause for 1 s to answer", .warning) }
    // The panel of a question names its keys.
    if case .question? = panel {
      return StyledText(purpose == .mark ? "only marked; nothing is sent yet" : "", .dim)
    }
    return StyledText("Enter: \(purpose.verb), Esc: back", .dim)
  }

  var hints: [KeyHint] {
    if reason != nil {
      return [
        KeyHint(keys: "Enter", label: "deny"),
        KeyHint(keys: "Esc", label: "back"),
      ]
    }
    let moves = KeyHint(keys: "PageDown", label: "more")
    let back = KeyHint(keys: "Esc", label: "back to the list")
    guard isOpen else { return [moves, back] }
    let isQuestion = if case .question? = panel { true } else { false }
    return [
      KeyHint(keys: isQuestion ? "number or arrow" : "letter or arrow", label: "select"), moves,
      KeyHint(keys: "Enter", label: purpose.verb), back,
    ]
  }
}
