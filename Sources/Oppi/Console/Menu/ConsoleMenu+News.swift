// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// What the menu prints of the servers' news.
extension ConsoleMenu {
  /// How long the parts of a section may arrive before it is printed.
  private static let readingPause = Duration.milliseconds(400)

  mutating func take(_ news: ConsoleNews, at now: Duration) -> [Action] {
    switch news {
    case .paired(let servers): model.board.pair(servers)
    case .looked(let id, let look): return take(look, of: id, at: now)
    case .decided(let id, let decisions): model.board.take(decisions, of: id, at: model.now)
    case .clock(let time): keepTime(time, at: now)
    case .note(let text): return [.say(text.safeLine(limit: Self.noteLimit))]
    case .replied(let reply, let request, let outcome, let text):
      model.board.end(reply, to: request, outcome, at: model.now)
      let result = [Action.say(text.safeLine(limit: Self.noteLimit))]
      // The list had no numbers since the request was opened.
      if case .section(.approvals) = page, numbered.entries.isEmpty { return result + show() }
      return result
    case .changeEnded: return changeEnded()
    case .conversation(let id, let turns): return print(turns, of: id)
    case .unsent(let text, let id): drafts.keep(text, for: id)
    case .schedules(let found, let problems):
      data.schedules = found
      data.problems = problems.map { $0.safeLine(limit: Self.noteLimit) }
      hasRead(.schedules, at: now)
    case .settings(let found):
      data.settings = found
      hasRead(.settings, at: now)
    case .chatOpened(let id, let setup): return opened(id, setup)
    case .chatFailed(let id, let text):
      guard case .chat(let chat) = page, chat.id == id else { break }
      leavePage()
      // A line that was begun as a message selects nothing in the list.
      panelCount += 1
      return keep(chat.lines?.state, of: id) + [.say(text)] + show()
    case .chat(let id, let news):
      guard case .chat(let chat) = page, chat.id == id else { break }
      return inChat { $0.take(news, at: now) }
    case .planned, .found, .chatWanted, .edited: break
    }
    return []
  }

  // MARK: - The board

  private mutating func take(
    _ look: Result<ConsoleBoard.Answer, ConsoleBoard.Failure>,
    of id: Fingerprint,
    at now: Duration
  ) -> [Action] {
    let before = Board(model)
    switch look {
    case .success(let answer):
      keepTime(answer.at, at: now)
      model.board.take(answer, of: id)
    case .failure(let failure): model.board.take(failure, of: id)
    }
    for section in [MenuSection.approvals, .work, .chat] { hasRead(section, at: now) }
    guard isStarted else {
      guard !model.isLoading else { return [] }
      isStarted = true
      return show()
    }
    let lines = Board(model).news(since: before, at: model.now)
    let told = lines.compactMap { news.add($0, at: now) }.map(Action.say)
    return told + refreshRequest()
  }

  /// The parts of the board whose changes are printed.
  private struct Board {
    let requests: Set<BoardRequest.ID>
    let sessions: [BoardSession.ID: SessionPhase]
    let failures: Set<Fingerprint>
    let board: ConsoleBoard

    init(_ model: ConsoleModel) {
      board = model.board
      requests = board.openRequests(at: model.now)
      sessions = Dictionary(board.sessions().map { ($0.id, $0.phase) }) { first, _ in first }
      failures = Set(board.servers.filter { $0.failure != nil }.map(\.id))
    }

    func news(since before: Board, at now: Timestamp) -> [String] {
      let servers = board.servers.compactMap { server -> String? in
        switch (before.failures.contains(server.id), failures.contains(server.id)) {
        case (false, true): SpokenRows.line(of: server, at: now)
        case (true, false): "\(server.name) answers again"
        default: nil
        }
      }
      let new = board.requests(at: now).filter {
        requests.contains($0.id) && !before.requests.contains($0.id)
      }
      let ended = board.sessions().filter { session in
        let last = before.sessions[session.id]
        let wasAtWork = last == .running || last == .waiting
        return session.phase == .failed && last != .failed && last != nil
          || session.status.outcome == .finished && wasAtWork
      }
      return new.map { SpokenRows.news(of: $0) } + servers
        + ended.map { SpokenRows.news(of: $0) }
    }
  }

  /// Updates the request that is shown; one that changed is printed again.
  mutating func refreshRequest() -> [Action] {
    guard case .request(var request) = page,
      let latest = model.board.request(request.request.id)
    else { return [] }
    let outcome = request.update(latest, at: model.now)
    pages[pages.count - 1] = .request(request)
    switch outcome {
    case .said(let lines)?: return [.print(lines + [StyledText("an empty line: back")])]
    case .shown?: return [.say(QuestionText.changed)] + showRequest()
    case .closed?, .replied?, nil: return []
    }
  }

  // MARK: - What was read

  private mutating func hasRead(_ section: MenuSection, at now: Duration) {
    if data.awaited?.section == section { data.awaited?.readAt = now }
  }

  /// Prints the section that the user waits for.
  mutating func showAwaited(at now: Duration) -> [Action] {
    guard let (section, readAt) = data.awaited, let readAt, now >= readAt + Self.readingPause
    else { return [] }
    data.awaited = nil
    guard case .section(section) = page else { return [] }
    return show()
  }

  private mutating func print(
    _ turns: Result<[Turn], ConsoleBoard.Failure>,
    of id: BoardSession.ID
  ) -> [Action] {
    guard let index = data.readings.firstIndex(of: id) else { return [] }
    data.readings.remove(at: index)
    switch turns {
    case .failure(let failure): return [.say(failure.message)]
    case .success(let turns):
      let lines = turns.flatMap { SpokenTurn.lines(of: $0, at: model.now) }
      return [.print(lines.isEmpty ? [StyledText("no turns yet")] : lines)]
    }
  }
}
