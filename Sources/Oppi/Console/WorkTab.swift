// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The sessions of all servers: the list, the open timeline, replies and stops.
struct WorkTab: ConsoleTab {
  /// What takes the keys before the list.
  enum Mode: Sendable {
    case list
    /// The conversation of a session; a peek shows its last turn.
    case timeline(TimelineDetail)
    /// A message to a session, while it is typed.
    case reply(ReplyField)
    /// A turn to stop, while the user is asked.
    case stop(ConsoleQuestion)
  }

  private static let headRows = 1

  private(set) var list = SteadyList<BoardSession.ID>()
  /// `nil` shows all groups.
  private(set) var phase: SessionPhase?
  private(set) var text = ""
  /// The result of a search, the best match first; `nil` without one.
  private(set) var hits: [ConsoleSearch.Hit]?
  private(set) var mode = Mode.list
  /// The messages that were not sent, by session; the reply field starts with them.
  private var drafts = UnsentTexts()
  private(set) var area = ConsoleArea(row: 0, column: 0, rows: 20, columns: 80)

  var title: String { "Work" }

  /// Failures, and sessions that wait without a request in Approvals.
  func count(in model: ConsoleModel) -> Int {
    model.board.sessions(.failed).count + model.board.waitingCount(at: model.now)
  }

  // MARK: - Keys

  var takesAllKeys: Bool { if case .list = mode { false } else { true } }

  mutating func perform(
    _ action: ConsoleAction,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    if list.perform(action, page: visibleCount) { return [] }
    switch action {
    case .nextFilter: change(to: 1, model)
    case .previousFilter: change(to: -1, model)
    case .back: filter(by: "")
    default: return performOnSelection(action, in: model)
    }
    return []
  }

  private mutating func performOnSelection(
    _ action: ConsoleAction,
    in model: ConsoleModel
  ) -> [ConsoleEffect] {
    guard let id = list.selection else { return [] }
    switch action {
    case .open: return show(id, turns: TimelineDetail.turnLimit, model)
    case .peek: return show(id, turns: 1, model)
    case .reply: mode = .reply(ReplyField(to: id, draft: drafts.take(id)))
    case .stop: mode = .stop(ConsoleQuestion(.stop(id, listed(id, model))))
    case .chat: return [.showChat(id)]
    default: break
    }
    return []
  }

  private mutating func show(
    _ id: BoardSession.ID,
    turns: Int,
    _ model: ConsoleModel
  ) -> [ConsoleEffect] {
    let status = model.board.session(id)?.status
    mode = .timeline(TimelineDetail(id, turns: turns, status: status))
    return [.read(id, turns: turns)]
  }

  private mutating func change(to step: Int, _ model: ConsoleModel) {
    let all: [SessionPhase?] = [nil] + SessionPhase.allCases
    let index = all.firstIndex(of: phase) ?? 0
    phase = all[(index + step + all.count) % all.count]
    list.update(ids(in: model))
    list.sort()
  }

  /// A session of the list; one that a search found may be too old to be listed.
  func listed(_ id: BoardSession.ID, _ model: ConsoleModel) -> BoardSession? {
    model.board.session(id) ?? hits?.first { $0.session.id == id }?.session
  }

  mutating func filter(by text: String) {
    (self.text, hits) = (text, nil)
    list.deselect()
  }

  private func ids(in model: ConsoleModel) -> [BoardSession.ID] {
    if let hits { return hits.map(\.session.id) }
    return model.board.sessions(phase, matching: text).map(\.id)
  }

  mutating func take(
    _ key: Key,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    switch mode {
    case .list: return []
    case .timeline(var timeline):
      let isOpen = timeline.take(key)
      mode = isOpen ? .timeline(timeline) : .list
      return []
    case .reply(let field): return write(key, at: pressed, into: field, &model)
    case .stop:
      switch answer(key, at: pressed) {
      case .waiting: return []
      case .tooEarly: model.note = ConsoleQuestion.tooEarlyNotice
      case .unconfirmed(let why): model.note = why
      case .cancelled: (mode, model.note) = (.list, "not stopped")
      case .confirmed(let effect):
        (mode, model.note) = (.list, "stopping the turn")
        return [effect]
      }
      return []
    }
  }

  private mutating func write(
    _ key: Key,
    at pressed: Duration,
    into field: ReplyField,
    _ model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    var field = field
    let outcome = field.take(key, at: pressed)
    mode = .reply(field)
    switch outcome {
    case .taken: break
    case .tooEarly: model.note = ReplyField.tooEarlyNotice
    case .closed:
      drafts.keep(field.composer.text, for: field.id)
      mode = .list
    case .sent(let text):
      mode = .list
      return [.send(text, to: field.id)]
    }
    return []
  }

  // MARK: - Time

  mutating func wasShown(at now: Duration) {
    question?.wasShown(at: now)
    guard case .reply(var field) = mode else { return }
    field.wasShown(at: now)
    mode = .reply(field)
  }

  mutating func isShownAgain() {
    question?.isShownAgain()
    guard case .reply(var field) = mode else { return }
    field.isShownAgain()
    mode = .reply(field)
  }

  // MARK: - News

  mutating func take(
    _ news: ConsoleNews,
    at now: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    if case .found(let hits, let silent) = news {
      self.hits = hits
      list.deselect()
      model.note =
        silent.isEmpty ? nil : "not searched: \(silent.joined(separator: ", "))"
    }
    if case .unsent(let text, let id) = news { drafts.keep(text, for: id) }
    guard case .timeline(var timeline) = mode else { return [] }
    defer { mode = .timeline(timeline) }
    switch news {
    case .conversation(let id, let turns) where id == timeline.id:
      timeline.take(turns)
      // The next answer of the server repeats a read that failed.
      if case .failure = turns { return [] }
    case .looked(let serverID, .success) where serverID == timeline.id.serverID: break
    default: return []
    }
    let status = model.board.session(timeline.id)?.status
    return timeline.mustRead(status) ? [.read(timeline.id, turns: timeline.turnCount)] : []
  }

  var question: ConsoleQuestion? {
    get { if case .stop(let question) = mode { question } else { nil } }
    set {
      if question != nil, let newValue { mode = .stop(newValue) }
    }
  }

  mutating func fit(_ layout: ConsoleLayout, _ model: ConsoleModel) {
    area = layout.list
    list.update(ids(in: model))
    list.fit(visibleCount)
    guard case .timeline(var timeline) = mode else { return }
    timeline.fit((layout.side ?? layout.body).size, at: model.now)
    mode = .timeline(timeline)
  }

  var visibleCount: Int {
    max(1, (area.rows - Self.headRows) / WorkRows.rowsPerSession(width: area.columns))
  }
}
