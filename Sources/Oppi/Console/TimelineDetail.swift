// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The conversation of a session, scrolled by keys; a peek has only its last turn.
struct TimelineDetail: ListPage {
  /// The most turns of a timeline; 'oppi show --all' has them all.
  static let turnLimit = 50

  private let id: ListedSession.ID
  /// The session as a search found it, which may be too old to be listed.
  private let found: ListedSession?
  private let turnCount: Int
  /// `nil` until they were read.
  private var turns: [Turn]?
  private var failure: String?
  /// The activity and the state for which the turns were read.
  private var readAt: Reading?
  /// Whether the turns are being read: a conversation can be long, so only one read is under way.
  private var isReading = true
  /// The turns wrapped to a width, stored because long ones take time.
  private var page: (columns: Int, turns: TurnPage) = (0, TurnPage())
  private var scroll = DetailScroll(from: .end)
  /// How many of the visible parts were copied since the last other key.
  private var copied = 0
  /// The last edit while it is shown in place of the conversation.
  private var edit: ShownEdit?

  private struct ShownEdit {
    let call: ToolCallActivity
    /// Wrapped to a width.
    var rows: (columns: Int, lines: [StyledText]) = (0, [])
    var scroll = DetailScroll()
  }

  private struct Reading: Equatable {
    let activity: Timestamp
    let phase: SessionPhase

    init(_ status: SessionStatus) { (activity, phase) = (status.lastActivity, status.phase) }
  }

  init(_ id: ListedSession.ID, _ found: ListedSession?, turns: Int, in model: ConsoleModel) {
    (self.id, self.found, turnCount) = (id, found, turns)
    readAt = model.board.session(id).map { Reading($0.status) }
  }

  var opening: [ConsoleEffect] { [.work(.read(id, turns: turnCount))] }

  var hints: [KeyHint] {
    let scroll = KeyHint("↑ ↓ PageDown", "scroll")
    guard edit == nil else { return [scroll, KeyHint("Esc", "back to the conversation")] }
    return [
      scroll, KeyHint("y", copied == 0 ? "copy" : "copy the next"), KeyHint("d", "last edit"),
      KeyHint("Esc", "back to the list"),
    ]
  }

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    if var shown = edit {
      edit = key != .text("d") && shown.scroll.take(key) ? shown : nil
      return .stays()
    }
    if key == .text("y") { return copy(in: &model) }
    copied = 0
    guard key == .text("d") else { return scroll.take(key) ? .stays() : .closes() }
    edit = turns?.lastEdit.map { ShownEdit(call: $0) }
    if edit == nil { model.note = "no edit in the turns that are shown" }
    return .stays()
  }

  /// Copies the part at the top of what is shown; pressed again, the next one.
  private mutating func copy(in model: inout ConsoleModel) -> PageOutcome {
    let visible = page.turns.sources(in: scroll.shown)
    guard !visible.isEmpty else {
      model.note = "nothing to copy"
      return .stays()
    }
    defer { copied += 1 }
    return .stays([.copy(visible[copied % visible.count].text)])
  }

  /// Reads the turns again if the session has changed since the last read.
  mutating func take(_ news: ConsoleNews, in model: ConsoleModel) -> [ConsoleEffect] {
    switch news {
    case .looked(id.serverID, .success): break
    default:
      guard case .conversation(id, turns: turnCount, let result)? = news.own(WorkNews.self)
      else { return [] }
      take(result)
      // The next answer of the server repeats a read that failed.
      if case .failure = result { return [] }
    }
    let latest = model.board.session(id).map { Reading($0.status) }
    guard !isReading, let latest, latest != readAt else { return [] }
    (readAt, isReading) = (latest, true)
    return opening
  }

  private mutating func take(_ result: Result<[Turn], FleetView.Failure>) {
    isReading = false
    switch result {
    case .success(let turns): (self.turns, failure) = (turns, nil)
    case .failure(let error): (failure, readAt) = (error.message, nil)
    }
    page.columns = 0
  }

  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel) {
    if page.columns != size.columns, let turns {
      let files = ChangedFiles.rows(of: turns, width: size.columns)
      var all = TurnPage()
      for turn in turns { all.add(turn, width: size.columns, look: model.look, now: model.now) }
      if !files.isEmpty { all.add([StyledText()] + files) }
      page = (size.columns, all)
    }
    scroll.fit(page.turns.rows.count, room: size.rows - 2)
    guard var shown = edit else { return }
    if shown.rows.columns != size.columns {
      shown.rows = (size.columns, CallRows.rows(of: shown.call, width: size.columns))
    }
    shown.scroll.fit(shown.rows.lines.count, room: size.rows - 2)
    edit = shown
  }

  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock {
    let title = (model.board.session(id) ?? found).map { session in
      let mark = session.mark
      return StyledText("\(mark.symbol) \(mark.word)  ", mark.style)
        .with(StyledText(session.status.goal ?? "", .name))
        .with(StyledText("  \(session.place)", .dim))
    }
    let head = (title ?? StyledText("\(id.sessionID): no longer listed", .dim))
      .truncated(to: size.columns)
    let lines = edit.map { $0.rows.lines.shown($0.scroll) } ?? page.turns.rows.shown(scroll)
    return ScreenBlock(lines: [head] + lines + [foot], cursor: .focus())
  }

  private var foot: StyledText {
    let scroll = edit?.scroll ?? scroll
    if let failure { return StyledText(failure, .error) }
    guard let turns else { return StyledText("reading…", .dim) }
    guard !turns.isEmpty else { return StyledText("no turns yet", .dim) }
    let (above, below) = (scroll.above, scroll.below)
    let words = [above > 0 ? "\(above) rows above" : nil, below > 0 ? "\(below) rows below" : nil]
      .compactMap(\.self)
    return StyledText(words.joined(separator: ", "), .dim)
  }
}
