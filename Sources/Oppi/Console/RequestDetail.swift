// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// An open request of the console: the panel of the chat, with the same rules, without a draft.
///
/// Keys without a pause before them are dropped. Nothing is selected at first, an approval needs the
/// end of the request on the screen, and only Enter decides.
struct RequestDetail: ListPage {
  /// What a confirmed choice does.
  enum Purpose: Sendable {
    /// It is sent at once.
    case decide
    /// It is kept until all marks are sent; it applies to this call only.
    case mark

    fileprivate var choices: [CallChoice] {
      self == .mark ? [.allowOnce, .deny] : CallChoice.allCases
    }

    /// What Enter does, in one word.
    fileprivate var verb: String { self == .mark ? "mark" : "confirm" }
  }

  /// The rows for the notice above the panel's choices, and for the head.
  private static let rowsBesidePanel = 2

  private var open: OpenRequest
  private let purpose: Purpose
  private(set) var note: String?
  /// The position in a request without a panel.
  private var scroll = DetailScroll()
  private var size = ScreenSize(columns: 80, rows: 20)

  /// `way` is what asks a human on the request's server.
  init(
    _ request: ListedRequest,
    for way: Dialect.Requests,
    isReadOnly: Bool,
    to purpose: Purpose = .decide
  ) {
    self.purpose = purpose
    open = OpenRequest(
      request,
      for: way,
      isReadOnly: isReadOnly,
      offering: purpose.choices,
      in: .screen
    )
  }

  var request: ListedRequest { open.request }

  /// Whether the request can be decided here.
  var isOpen: Bool { open.panel != nil }

  private var asksReason: Bool { open.panel?.reason != nil }

  // MARK: - Keys

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    note = nil
    if key == .escape || key == .control("c") {
      guard asksReason else { return .closes() }
      open.panel?.closeReason()
      isShownAgain()
      return .stays()
    }
    switch open.panel?.take(key, at: model.moment) {
    case .replied(let reply, let reason)?:
      guard let whole = open.complete(reply) else { break }
      return .closes([.reply(whole, to: request, because: reason)])
    case .refused(let why)?: note = why
    case .taken?, .asksReason?, .typed?, .action?, .repeated?: break
    case nil: scroll.scroll(by: key)
    }
    return .stays()
  }

  // MARK: - Time

  mutating func wasShown(at now: Duration) {
    if !asksReason { open.panel?.wasShown(at: now) }
  }

  mutating func wait(at now: Duration) { open.panel?.wait(at: now) }

  /// After a stop of the program, keys need a new pause.
  mutating func isShownAgain() { open.panel = open.panel?.shownAgain }

  // MARK: - View

  /// Takes the latest state of the request; one that changed is a new request, with nothing selected.
  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel) {
    self.size = size
    switch model.board.request(request.id).flatMap({ open.update($0, at: model.now) }) {
    case .replaced?: note = QuestionText.changed
    case .reopened?: note = nil
    case .ended?, nil: break
    }
    guard !isOpen else {
      open.panel?.fit(columns: size.columns, rows: size.rows - Self.rowsBesidePanel)
      scroll = DetailScroll()
      return
    }
    scroll.fit(preview(at: model.now).count, room: size.rows - 1)
  }

  private func preview(at now: Timestamp) -> [StyledText] {
    request.detail(width: size.columns, at: now)
  }

  /// The view for the last size; the cursor stands on the selected choice, or in the text.
  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock {
    guard let panel = open.panel else {
      let rows = preview(at: model.now)
      let below = scroll.below
      let more = below > 0 ? [StyledText("PageDown: \(below) more rows", .warning)] : []
      return ScreenBlock(lines: rows.shown(scroll) + more, cursor: .focus())
    }
    let place = StyledText(request.place.text, .dim).truncated(to: size.columns)
    let offset = model.board.server(request.id.serverID)?.clockOffset ?? .zero
    var block = panel.view(serverNow: model.now.moved(by: offset))
    if let reason = panel.reason {
      let room = ScreenSize(columns: size.columns, rows: size.rows - 2)
      block = reason.composer.field("reason › ", below: block.lines, room, maxRows: size.rows / 3)
    }
    block.lines.append(notice(in: panel))
    return block.below([place])
  }

  private func notice(in panel: RequestPanel) -> StyledText {
    if let note { return StyledText(note, .warning) }
    if asksReason { return StyledText("Enter: deny with this reason, Esc: back", .dim) }
    guard panel.closedNotice == nil else { return StyledText(TypingGate.opening, .warning) }
    guard panel.request.kind == .permission else {
      // The panel of a question names its keys.
      return StyledText(purpose == .mark ? "only marked; nothing is sent yet" : "", .dim)
    }
    return StyledText("Enter: \(purpose.verb), Esc: back", .dim)
  }

  var hints: [KeyHint] {
    if asksReason { return [KeyHint("Enter", "deny"), KeyHint("Esc", "back")] }
    let isCut = open.panel?.isCut ?? (scroll.below > 0)
    let moves = isCut ? [KeyHint("PageDown", "more")] : []
    let back = KeyHint("Esc", "back to the list")
    guard isOpen else { return moves + [back] }
    let isCall = request.request.kind == .permission
    let select = KeyHint(isCall ? "letter or arrow" : "number or arrow", "select")
    return [select] + moves + [KeyHint("Enter", purpose.verb), back]
  }
}

/// A request of the console while it is open, on the screen or in the menu: its latest state, its
/// panel, and the answers to its parts.
struct OpenRequest: Sendable {
  enum Change: Sendable, Equatable {
    /// It is no longer pending; told once.
    case ended
    /// It is another request under the same id.
    case replaced
    /// It can be decided again, because a reply did not reach the server.
    case reopened
  }

  private(set) var request: ListedRequest
  /// `nil` if the request cannot be decided here.
  var panel: RequestPanel?
  private let isReadOnly: Bool
  /// What asks a human on the request's server.
  private let way: Dialect.Requests
  private let choices: [CallChoice]
  private let form: RequestPanel.Form
  private var answers: PartAnswers
  /// Whether the latest state was not pending.
  private var hasEnded = false

  /// `choices` are those of a call; `way` is what asks a human on the request's server.
  init(
    _ request: ListedRequest,
    for way: Dialect.Requests,
    isReadOnly: Bool,
    offering choices: [CallChoice] = CallChoice.allCases,
    in form: RequestPanel.Form
  ) {
    (self.request, self.way, self.isReadOnly) = (request, way, isReadOnly)
    (self.choices, self.form) = (choices, form)
    answers = PartAnswers(for: way)
    makePanel()
  }

  private mutating func makePanel() {
    panel = nil
    guard !isReadOnly, request.state == .pending else { return }
    panel = answers.open(of: request.request).map {
      RequestPanel($0, offering: choices, in: form)
    }
  }

  /// Takes the latest state of the request; one that changed is a new request, with nothing selected
  /// and nothing answered.
  mutating func update(_ latest: ListedRequest, at now: Timestamp) -> Change? {
    let isSame = latest.isSame(request)
    request = latest
    let hadEnded = hasEnded
    hasEnded = !latest.isOpen(at: now)
    guard !hasEnded else {
      panel = nil
      return hadEnded ? nil : .ended
    }
    guard !isSame || panel == nil else { return nil }
    // What was answered of the earlier request does not answer this one.
    if !isSame { answers = PartAnswers(for: way) }
    makePanel()
    guard isSame else { return .replaced }
    return panel == nil ? nil : .reopened
  }

  /// Takes a reply of the panel; returns the one to the whole request, or `nil` before the last part
  /// of a question, whose next part is open then.
  mutating func complete(_ reply: RequestReply) -> RequestReply? {
    guard let last = panel else { return reply }
    if let whole = answers.take(reply, to: last.subject) { return whole }
    panel = RequestPanel.of(answers.open(of: request.request), after: last, in: form)
    return nil
  }
}

extension ConsoleModel {
  /// The page of a request; `nil` while an Enter may still belong to a reply before it.
  func page(of request: ListedRequest, to purpose: RequestDetail.Purpose = .decide)
    -> RequestDetail?
  {
    if let repliedAt, moment < repliedAt + ApprovalPolicy.doublePress { return nil }
    let way = board.way(of: request.id.serverID)
    return RequestDetail(request, for: way, isReadOnly: isReadOnly, to: purpose)
  }

  /// Records the replies with which a page closed; returns what is to be sent.
  mutating func beginReplies(_ effects: [ConsoleEffect]) -> [ConsoleEffect] {
    effects.filter { effect in
      guard case .reply(let reply, let request, _) = effect else { return true }
      repliedAt = moment
      let isPending = board.begin(reply, to: request.id)
      note = isPending ? "waiting for confirmation" : DecisionOutcome.noLongerPending
      return isPending
    }
  }
}
