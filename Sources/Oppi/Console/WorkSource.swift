// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// The sessions of all servers: the open timeline, replies and stops.
struct WorkSource: ListSource {
  /// `nil` shows all groups.
  private static let phases: [SessionPhase?] = [nil] + SessionPhase.allCases

  /// The result of a search, the best match first; `nil` without one.
  private var hits: [BoardSession]?

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
      empty: "No sessions.",
      unknown: model.emptiness
    )
  }

  func items(group: Int, matching text: String, in model: ConsoleModel) -> [BoardSession] {
    hits ?? model.board.sessions(Self.phases[group], matching: text)
  }

  func item(_ id: BoardSession.ID, in model: ConsoleModel) -> BoardSession? {
    model.board.session(id) ?? found(id)
  }

  /// A session as a search found it; it may be too old to be listed.
  private func found(_ id: BoardSession.ID) -> BoardSession? {
    hits?.first { $0.id == id }
  }

  func rowCount(width: Int) -> Int { ListRow.count(width: width) }

  // MARK: - Keys

  func keys(for session: BoardSession?, in model: ConsoleModel) -> [KeyRow] {
    let own = model.isReadOnly ? nil : session
    let isAtWork = own.map { [.running, .waiting].contains($0.phase) } ?? false
    let openHelp = "Show the conversation, calls and changes of the session"
    let peekHelp = "Show the last turn of the session"
    func read(turns: Int) -> ConsoleAction? {
      session.map { .read($0.id, found($0.id), turns: turns) }
    }
    let reply = own.map { ConsoleAction.reply($0.id, found($0.id)) }
    let stop = own.map { ConsoleAction.ask(.stop($0.id, $0)) }
    let chat = own.map { ConsoleAction.perform(.showChat($0.id)) }
    return [
      .enter(read(turns: TimelineDetail.turnLimit), help: openHelp)
        .spoken(2, "hear the conversation"),
      KeyRow([.text(" ")], "Space", "peek", help: peekHelp, read(turns: 1))
        .spoken(1, "peek: hear the last turn"),
      KeyRow("m", "reply", help: "Send a message to the session", reply)
        .spoken(3, "reply: send a message"),
      KeyRow("s", "stop", help: "Stop the running turn; asks first", stop, when: isAtWork)
        .spoken(4, "stop the running turn"),
      KeyRow("o", "chat", help: "Open the session in the chat", chat)
        .spoken(5, "chat with the agent"),
    ]
  }

  func lastKeys(isFiltered: Bool, in model: ConsoleModel) -> [KeyRow] {
    let help = "Clear the search and the filter"
    let isShort = hits != nil || isFiltered
    return [KeyRow([.escape], "Esc", "all sessions", help: help, .back, when: isShort)]
      + ConsoleKeys.groups("group")
  }

  // MARK: - News

  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> Bool {
    guard case .found(let hits, let silent) = news else { return false }
    self.hits = hits
    model.note = silent.isEmpty ? nil : "not searched: \(silent.joined(separator: ", "))"
    return true
  }

  mutating func endSearch() { hits = nil }
}
