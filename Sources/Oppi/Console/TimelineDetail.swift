// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The conversation of a session, scrolled by keys; a peek has only its last turn.
struct TimelineDetail: Sendable {
  /// The most turns of a timeline; 'oppi show --all' has them all.
  static let turnLimit = 50

  let id: BoardSession.ID
  let turnCount: Int
  /// `nil` until they were read.
  private var turns: [Turn]?
  private var failure: String?
  /// The activity and the state for which the turns were read.
  private var readAt: Reading?
  /// Whether the turns are being read: a conversation can be long, so only one read is under way.
  private var isReading = true
  /// The turns wrapped to a width, stored because long ones take time.
  private var rows: (columns: Int, lines: [StyledText]) = (0, [])
  private var size = ScreenSize(columns: 80, rows: 20)
  private var scroll = DetailScroll(from: .end)

  private struct Reading: Equatable {
    let activity: Timestamp
    let phase: SessionPhase

    init(_ status: SessionStatus) { (activity, phase) = (status.lastActivity, status.phase) }
  }

  /// `status` is the session's, as far as it is known before the first read.
  init(_ id: BoardSession.ID, turns: Int, status: SessionStatus?) {
    (self.id, turnCount, readAt) = (id, turns, status.map(Reading.init))
  }

  mutating func take(_ result: Result<[Turn], ConsoleBoard.Failure>) {
    isReading = false
    switch result {
    case .success(let turns): (self.turns, failure) = (turns, nil)
    case .failure(let error): (failure, readAt) = (error.message, nil)
    }
    rows = (0, [])
  }

  /// Whether to read the turns, because the session has changed since the last read.
  mutating func mustRead(_ status: SessionStatus?) -> Bool {
    guard !isReading, let latest = status.map(Reading.init), latest != readAt else { return false }
    (readAt, isReading) = (latest, true)
    return true
  }

  /// Handles a key; returns false if it closes the timeline.
  mutating func take(_ key: Key) -> Bool { scroll.take(key) }

  mutating func fit(_ size: ScreenSize, at now: Timestamp) {
    if rows.columns != size.columns, let turns {
      let files = ChangedFiles.rows(of: turns, width: size.columns)
      let space = files.isEmpty ? [] : [StyledText()]
      let lines = TurnRows.rows(of: turns, width: size.columns, now: now)
      rows = (size.columns, lines + space + files)
    }
    self.size = size
    scroll.fit(rows.lines.count, room: size.rows - 2)
  }

  /// The view for the last size; `session` is `nil` if it is no longer listed.
  func view(of session: BoardSession?, at now: Timestamp) -> ScreenBlock {
    let title = session.map { session in
      let mark = StatusMark(session.status)
      return StyledText("\(mark.symbol) \(mark.word)  ", mark.style)
        .with(StyledText(session.status.goal ?? "", .name))
        .with(StyledText("  \(WorkRows.place(of: session))", .dim))
    }
    let head = (title ?? StyledText("\(id.sessionID): no longer listed", .dim))
      .truncated(to: size.columns)
    return ScreenBlock(lines: [head] + rows.lines.shown(scroll) + [foot], cursor: (0, 0))
  }

  private var foot: StyledText {
    if let failure { return StyledText(failure, .error).truncated(to: size.columns) }
    guard let turns else { return StyledText("reading…", .dim) }
    guard !turns.isEmpty else { return StyledText("no turns yet", .dim) }
    let (above, below) = (scroll.above, scroll.below)
    let words = [above > 0 ? "\(above) rows above" : nil, below > 0 ? "\(below) rows below" : nil]
      .compactMap(\.self)
    return StyledText(words.joined(separator: ", "), .dim)
  }
}
