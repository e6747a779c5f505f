// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The sessions of all servers: the open timeline, replies and stops.
struct WorkSource: ListSource {
  /// `nil` shows all groups.
  private static let phases: [SessionPhase?] = [nil] + SessionPhase.allCases

  /// The result of a search, the best match first; `nil` without one.
  private var hits: [ConsoleSearch.Hit]?
  /// The messages that were not sent, by session; the reply field starts with them.
  private var drafts = UnsentTexts()

  let title = "Work"

  /// Failures, and sessions that wait without a request in Approvals.
  func count(in model: ConsoleModel) -> Int {
    model.board.sessions(.failed).count + model.board.waitingCount(at: model.now)
  }

  // MARK: - The list

  func frame(in model: ConsoleModel) -> ListFrame {
    let counts = Dictionary(grouping: model.board.sessions(), by: \.phase).mapValues(\.count)
    let groups = Self.phases.map { phase in
      let count = phase.map { counts[$0] ?? 0 } ?? counts.values.reduce(0, +)
      return "\(phase?.title ?? "All") \(count)"
    }
    let search = hits.map { hits in
      let words = hits.count == 1 ? "1 session contains" : "\(hits.count) sessions contain"
      return "\(words) the text; Esc: all sessions"
    }
    return ListFrame(
      groups: groups,
      search: search,
      empty: ConsoleEmpty.sessions,
      unknown: model.emptiness
    )
  }

  func ids(group: Int, matching text: String, in model: ConsoleModel) -> [BoardSession.ID] {
    hits?.map(\.session.id)
      ?? model.board.sessions(Self.phases[group], matching: text).map(\.id)
  }

  /// A session as a search found it; it may be too old to be listed.
  private func found(_ id: BoardSession.ID) -> BoardSession? {
    hits?.first { $0.session.id == id }?.session
  }

  private func session(_ id: BoardSession.ID, in model: ConsoleModel) -> BoardSession? {
    model.board.session(id) ?? found(id)
  }

  func rowCount(width: Int) -> Int { WorkRows.rowsPerSession(width: width) }

  func rows(
    of id: BoardSession.ID,
    as row: ListRow,
    in model: ConsoleModel
  ) -> [StyledText]? {
    session(id, in: model).map { session in
      WorkRows.rows(
        of: session,
        width: row.width,
        isSelected: row.isSelected,
        isNew: row.isNew,
        at: model.now
      )
    }
  }

  func detail(of id: BoardSession.ID, width: Int, in model: ConsoleModel) -> [StyledText]? {
    session(id, in: model).map { WorkRows.summary(of: $0, width: width, at: model.now) }
  }

  /// The name of the session, which commands accept.
  func copyText(of id: BoardSession.ID, in model: ConsoleModel) -> String? {
    session(id, in: model)?.name
  }

  // MARK: - Keys

  func keys(for id: BoardSession.ID?, in model: ConsoleModel) -> [KeyRow] {
    let session = id.flatMap { session($0, in: model) }
    let own = model.isReadOnly ? nil : session
    let isAtWork = own.map { [.running, .waiting].contains($0.phase) } ?? false
    return [
      .enter(
        .open,
        help: "Show the conversation, calls and changes of the session",
        when: session != nil
      ),
      KeyRow(
        [.text(" ")],
        "Space",
        "peek",
        help: "Show the last turn of the session",
        .peek,
        when: session != nil
      ),
      KeyRow("m", "reply", help: "Send a message to the session", .reply, when: own != nil),
      KeyRow(
        "s",
        "stop",
        help: "Stop the running turn; asks first",
        own.map { .ask(.stop($0.id, $0)) },
        when: isAtWork
      ),
      KeyRow(
        "o",
        "chat",
        help: "Open the session in the chat",
        own.map { .perform(.showChat($0.id)) }
      ),
    ]
  }

  func lastKeys(isFiltered: Bool, in model: ConsoleModel) -> [KeyRow] {
    let help = "Clear the search and the filter"
    let isShort = hits != nil || isFiltered
    return [KeyRow([.escape], "Esc", "all sessions", help: help, .back, when: isShort)]
      + ConsoleKeys.groups("group")
  }

  mutating func perform(
    _ action: ConsoleAction,
    on id: BoardSession.ID?,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> (any ListPage)? {
    guard let id else { return nil }
    switch action {
    case .open:
      return TimelineDetail(id, found(id), turns: TimelineDetail.turnLimit, in: model)
    case .peek: return TimelineDetail(id, found(id), turns: 1, in: model)
    case .reply: return ReplyField(to: id, found(id), draft: drafts.take(id))
    default: return nil
    }
  }

  // MARK: - News

  mutating func take(
    _ result: PageResult,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    if case .draft(let text, let id) = result { drafts.keep(text, for: id) }
    return []
  }

  mutating func take(
    _ news: ConsoleNews,
    _ list: inout SteadyList<BoardSession.ID>,
    in model: inout ConsoleModel
  ) {
    switch news {
    case .found(let hits, let silent):
      self.hits = hits
      list.deselect()
      model.note = silent.isEmpty ? nil : "not searched: \(silent.joined(separator: ", "))"
    case .unsent(let text, let id): drafts.keep(text, for: id)
    default: break
    }
  }

  mutating func endSearch() { hits = nil }
}
