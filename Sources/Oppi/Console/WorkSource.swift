// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The sessions of all servers: the open timeline, replies and stops.
struct WorkSource: ListSource {
  /// `nil` shows all groups.
  private static let phases: [SessionPhase?] = [nil] + SessionPhase.allCases

  /// The result of a search, the best match first; `nil` without one.
  private var hits: [SessionHit]?
  /// The text of the latest search; `nil` without one.
  private var sought: String?

  let title = "Work"
  let needs = TableNeeds.list
  let canSort = true

  /// Failures, and sessions that wait without a request in Approvals.
  func count(in model: ConsoleModel) -> Int {
    model.board.sessions(.failed).count + model.board.waitingCount(at: model.now)
  }

  // MARK: - The list

  func frame(in model: ConsoleModel) -> ListFrame {
    let counts = model.board.sessions().reduce(into: [SessionPhase: Int]()) { counts, session in
      counts[session.phase, default: 0] += 1
    }
    let groups = Self.phases.map { phase in
      let count = phase.map { counts[$0] ?? 0 } ?? counts.values.reduce(0, +)
      return "\(phase?.title ?? "All") \(count)"
    }
    let search = hits.map { hits in
      let words = hits.count == 1 ? "1 session contains" : "\(hits.count) sessions contain"
      return "\(words) '\(sought?.safeLine(limit: 40) ?? "")'; Esc: all sessions"
    }
    return ListFrame(
      groups: groups,
      search: search,
      empty: "No sessions.",
      unknown: model.emptiness
    )
  }

  func items(group: Int, matching text: String, in model: ConsoleModel) -> [ListedSession] {
    hits.map { $0.map(\.session) } ?? model.board.sessions(Self.phases[group], matching: text)
  }

  func item(_ id: ListedSession.ID, in model: ConsoleModel) -> ListedSession? {
    model.board.session(id) ?? found(id)
  }

  /// A session as a search found it; it may be too old to be listed.
  private func found(_ id: ListedSession.ID) -> ListedSession? {
    hits?.first { $0.session.id == id }?.session
  }

  func columns(in model: ConsoleModel) -> [ListColumn<ListedSession>] {
    let shown = hits.map { $0.map(\.session) } ?? model.board.sessions()
    let ids = ShortIDs(shown.map(\.id.sessionID))
    let columns: [ListColumn<ListedSession>] = SessionColumns.all(
      of: \.status,
      lastSeen: \.lastSeen,
      id: { ids[$0.id.sessionID] },
      server: \.server
    )
    guard let hits else { return columns }
    let matches = Dictionary(hits.map { ($0.session.id, $0.match) }) { first, _ in first }
    return columns + [.cell("MATCH", .decides) { row, _ in matches[row.id] ?? StyledText() }]
  }

  func headingRows(sortedBy column: String?, in model: ConsoleModel) -> Int {
    column == Self.serverColumn ? model.board.servers.count : 0
  }

  /// Sorted by their servers, the sessions of each have its name above them.
  func heading(of session: ListedSession, sortedBy column: String?) -> String? {
    column == Self.serverColumn ? session.server : nil
  }

  private static let serverColumn = "SERVER"

  // MARK: - Keys

  func keys(for session: ListedSession?, in model: ConsoleModel) -> [KeyRow] {
    let own = model.isReadOnly ? nil : session
    func read(turns: Int) -> ConsoleAction? {
      session.map { .work(.read($0.id, found($0.id), turns: turns)) }
    }
    let isListed = own.map { model.board.openRequest(of: $0.id, at: model.now) != nil } ?? false
    let asks = own.map { waits($0, in: model) } ?? false
    let decideHelp = "Show what the session waits for in full, to decide it"
    let chat = own.map { ConsoleAction.perform(.showChat($0.id)) }
    let openHelp =
      "Show the conversation, calls and changes; there y copies and d shows the last edit"
    return [
      .enter(.request(.open), help: decideHelp, when: isListed),
      .enter(chat, help: "Answer in the chat what the server reports only there", when: asks),
      .enter(read(turns: TimelineDetail.turnLimit), help: openHelp)
        .spoken(2, "hear the conversation"),
      KeyRow("p", "peek", help: "Show the last turn of the session", read(turns: 1))
        .spoken(1, "peek: hear the last turn"),
    ] + changeKeys(for: own, in: model) + [
      KeyRow(
        "l",
        "log",
        help: "Show the past decisions in the session",
        session.map { .work(.log($0.id)) }
      )
      .withoutHint
    ]
  }

  /// The keys that change something about a session.
  private func changeKeys(for session: ListedSession?, in model: ConsoleModel) -> [KeyRow] {
    let hasFailed = session?.phase == .failed
    func action(_ action: (ListedSession.ID, ListedSession?) -> WorkAction) -> ConsoleAction? {
      session.map { .work(action($0.id, found($0.id))) }
    }
    let retryHelp = "Put the prompt of the failed turn into a message, to send it as a new attempt"
    return [
      KeyRow("r", "reply", help: "Send a message to the session", action(WorkAction.reply))
        .spoken(3, "reply: send a message"),
      stopKey(session.map { [$0] } ?? []).spoken(4, "stop the running turn"),
      KeyRow("R", "retry", help: retryHelp, action(WorkAction.retry), when: hasFailed)
        .spoken(8, "send the failed prompt again"),
      KeyRow(
        "c",
        "chat",
        help: "Open the session in the chat",
        session.map { .perform(.showChat($0.id)) }
      )
      .spoken(5, "chat with the agent"),
      KeyRow("e", "rename", help: "Rename the session", action(WorkAction.rename)).withoutHint
        .spoken(7, "rename"),
      deleteKey(session.map { [$0] } ?? []).withoutHint.spoken(6, "delete the session"),
    ]
  }

  func keys(forMarked sessions: [ListedSession], in model: ConsoleModel) -> [KeyRow] {
    keys(forMarked: sessions, besides: [], in: model)
  }

  /// `others` are what is marked and is no session.
  func keys(
    forMarked sessions: [ListedSession],
    besides others: [String],
    in model: ConsoleModel
  ) -> [KeyRow] {
    let own = model.isReadOnly ? [] : sessions
    let retry = KeyRow(
      "R",
      "retry",
      help: "Send the prompts of the failed turns again as new attempts; asks first",
      .work(.retryAll(own, besides: others)),
      when: own.contains { $0.phase == .failed }
    )
    return [stopKey(own), deleteKey(own), retry]
  }

  func canMark(in model: ConsoleModel) -> Bool { !model.isReadOnly }

  private func stopKey(_ sessions: [ListedSession]) -> KeyRow {
    let atWork = sessions.filter(\.status.isAtWork)
    let stop = ConsoleAction.ask(.stop(atWork))
    return KeyRow(
      "s",
      "stop",
      help: "Stop the running turn; asks first",
      stop,
      when: !atWork.isEmpty
    )
  }

  private func deleteKey(_ sessions: [ListedSession]) -> KeyRow {
    let idle = sessions.filter { !$0.status.isAtWork }
    let help = "Delete the session with its conversation; asks first"
    return KeyRow("D", "delete", help: help, .ask(.delete(idle)), when: !idle.isEmpty)
  }

  func lastKeys(isFiltered: Bool, in model: ConsoleModel) -> [KeyRow] {
    let help = "Clear the search and the filter"
    let isShort = hits != nil || isFiltered
    return [KeyRow([.escape], "Esc", "all sessions", help: help, .back, when: isShort)]
      + ConsoleKeys.groups("group")
  }

  mutating func perform(
    _ action: ConsoleAction,
    on session: ListedSession?,
    in model: inout ConsoleModel
  ) -> (any ListPage)? {
    if action.own() == RequestAction.open {
      let request = session.flatMap { model.board.openRequest(of: $0.id, at: model.now) }
      return request.flatMap { model.page(of: $0) }
    }
    return switch action.own(WorkAction.self) {
    case .read(let id, let found, let turns)?:
      TimelineDetail(id, found, turns: turns, in: model)
    case .reply(let id, let found)?: ReplyField(.reply, to: id, found, draft: model.drafts.take(id))
    case .retry(let id, let found)?: ReplyField(.retry, to: id, found, draft: nil)
    case .retryAll(let sessions, let others)?: RetryQuestion(sessions, besides: others)
    case .rename(let id, let found)?:
      ReplyField(.rename, to: id, found, draft: (model.board.session(id) ?? found)?.status.goal)
    case .log(let id)?: DecisionLog(of: id)
    case nil: nil
    }
  }

  /// A session whose request is answered waits no longer, whatever the servers have told yet.
  func waits(_ session: ListedSession, in model: ConsoleModel) -> Bool {
    session.phase == .waiting && !model.board.isAnswering(session.id, at: model.now)
  }

  mutating func settle(
    _ effects: [ConsoleEffect],
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    model.beginReplies(effects)
  }

  func detail(of session: ListedSession, width: Int, in model: ConsoleModel) -> [StyledText] {
    let match = hits?.first { $0.session.id == session.id }?.match.folded(to: width) ?? []
    guard let request = model.board.openRequest(of: session.id, at: model.now) else {
      return match + session.detail(width: width, at: model.now)
    }
    return match + model.detail(of: request, width: width)
  }

  // MARK: - The search

  let canSearch = true

  mutating func search(_ text: String) -> [ConsoleEffect]? {
    sought = text
    return [.work(.search(text))]
  }

  /// Takes the result of the search; an earlier one came too late.
  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> Bool {
    guard case .found(let text, let hits, let silent)? = news.own(WorkNews.self),
      text == sought
    else { return false }
    self.hits = hits
    model.note = silent.isEmpty ? nil : "not searched: \(silent.joined(separator: ", "))"
    return true
  }

  mutating func endSearch() { (hits, sought) = (nil, nil) }
}

/// A session that a search found, with the text around its first match.
struct SessionHit: Sendable {
  let session: ListedSession
  let match: StyledText
}

/// A session in the console's list.
extension ListedSession: ListItem {
  /// What is known without reading the conversation.
  func detail(width: Int, at now: Timestamp) -> [StyledText] {
    let note = note(at: now)
    var lines = [mark.line]
    lines.append(StyledText(status.goal ?? "(no message yet)", .name))
    lines.append(StyledText(place, .dim))
    if !note.isEmpty { lines.append(StyledText(note, phase == .failed ? .error : .plain)) }
    if let todo = status.turn?.todo { lines.append(todo.line) }
    let width = max(1, width)
    return lines.flatMap { $0.folded(to: width) } + [StyledText()]
      + facts(at: now).lines(width: width)
  }

  /// What is known in numbers.
  fileprivate func facts(at now: Timestamp) -> Table {
    let facts = [
      ("updated", RelativeTime.ago(status.lastActivity, at: now)), ("model", status.model),
      ("cost", status.costText),
      ("changes", status.changes.map { "\($0.files.counted("file")), \(status.changesText)" }),
      ("messages", "\(status.messageCount)"), ("agent", status.isLoaded ? "loaded" : nil),
    ]
    let rows = facts.filter { $0.1?.isEmpty == false }
      .map { [StyledText($0, .dim), StyledText($1 ?? "")] }
    return Table(rows, roles: [.kept, .decides])
  }

  var mark: StatusMark { SessionColumns.mark(of: status, lastSeen: lastSeen) }

  func note(at now: Timestamp) -> String {
    SessionColumns.note(of: status, lastSeen: lastSeen, at: now)
  }

  /// The name of the session, which commands accept.
  var copyText: String { name }

  /// `studio/webapp (CdJR04ap)`, safe to show.
  var place: String { "\(workspace) (\(status.id))" }

  /// `studio/webapp`, safe to show.
  var workspace: String { server + (status.workspaceName.map { "/\($0)" } ?? "") }

  // MARK: - For a listener

  /// The state first, the time last, no symbols.
  func spoken(width: Int, at now: Timestamp) -> SpokenItem {
    let changes = status.changes.map { changes in
      "\(changes.files.counted("file")) changed, \(changes.addedLines.counted("line")) added, "
        + "\(changes.removedLines.counted("line")) removed"
    }
    let facts = [
      news(beside: note(at: now)), changes ?? "",
      status.costText.isEmpty ? "" : "cost \(status.costText)",
      RelativeTime.ago(status.lastActivity, at: now),
    ]
    return SpokenItem(
      line: facts.filter { !$0.isEmpty }.sentence(),
      state: .init(text: phase.title)
    )
  }

  /// Its state, after a change.
  func news(beside note: String = "") -> String {
    let isDone = [.idle, .done].contains(phase) && status.outcome == .finished
    let state = phase.word + (isDone ? ", finished" : "")
    let facts = ["\(state): \(status.goal ?? "no message yet")", note, "in \(workspace)"]
    return facts.filter { !$0.isEmpty }.sentence()
  }
}

extension ConsoleModel {
  /// A request, and what is known of its session.
  func detail(of request: ListedRequest, width: Int) -> [StyledText] {
    let session = request.id.session.flatMap { board.session($0) }
    let facts = session?.facts(at: now).lines(width: max(1, width)) ?? []
    return request.detail(width: width, at: now) + (facts.isEmpty ? [] : [StyledText()] + facts)
  }
}

/// The files that the calls of a conversation changed.
enum ChangedFiles {
  private static let tools: Set = ["edit", "write"]

  /// Returns a heading and one row for each file, in the order of the first change; nothing if no
  /// file was changed.
  ///
  /// Only calls that succeeded count, so that a proposed change is not listed.
  static func rows(of turns: [Turn], width: Int) -> [StyledText] {
    var order: [String] = []
    var changes: [String: (added: Int, removed: Int)] = [:]
    for call in turns.flatMap(\.calls)
    where tools.contains(call.tool) && call.state == .succeeded {
      guard let path = call.arguments["path"].string?.safeLine(limit: 400), !path.isEmpty else {
        continue
      }
      if changes[path] == nil { order.append(path) }
      var change = changes[path] ?? (0, 0)
      change.added += call.lineChange?.added ?? 0
      change.removed += call.lineChange?.removed ?? 0
      changes[path] = change
    }
    guard !order.isEmpty else { return [] }
    let rows = order.map { path in
      var row = StyledText("  \(path)")
      if let change = changes[path], change.added + change.removed > 0 {
        row.append("  +\(change.added) \(DiffRows.minus)\(change.removed)", .dim)
      }
      return row.truncated(to: width)
    }
    return [StyledText(order.count.counted("changed file"), .heading)] + rows
  }
}
