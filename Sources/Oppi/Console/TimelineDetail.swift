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
  private var rows: (columns: Int, lines: [StyledText]) = (0, [])
  private var scroll = DetailScroll(from: .end)

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

  let hints = [KeyHint("↑ ↓ PageDown", "scroll"), KeyHint("Esc", "back to the list")]

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    scroll.take(key) ? .stays() : .closes()
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
    rows = (0, [])
  }

  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel) {
    if rows.columns != size.columns, let turns {
      let files = ChangedFiles.rows(of: turns, width: size.columns)
      let space = files.isEmpty ? [] : [StyledText()]
      let lines = TurnRows.rows(of: turns, width: size.columns, look: model.look, now: model.now)
      rows = (size.columns, lines + space + files)
    }
    scroll.fit(rows.lines.count, room: size.rows - 2)
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
    return ScreenBlock(lines: [head] + rows.lines.shown(scroll) + [foot], cursor: .focus())
  }

  private var foot: StyledText {
    if let failure { return StyledText(failure, .error) }
    guard let turns else { return StyledText("reading…", .dim) }
    guard !turns.isEmpty else { return StyledText("no turns yet", .dim) }
    let (above, below) = (scroll.above, scroll.below)
    let words = [above > 0 ? "\(above) rows above" : nil, below > 0 ? "\(below) rows below" : nil]
      .compactMap(\.self)
    return StyledText(words.joined(separator: ", "), .dim)
  }
}
