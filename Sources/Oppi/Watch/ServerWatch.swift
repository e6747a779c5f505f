// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiTurns
import OppiWire
import Synchronization

/// Queries all sessions of a server repeatedly: soon after an event, and at intervals.
struct ServerWatch: Sendable {
  typealias Answer = Result<ServerOverview, OppiError>

  /// How often to check the server for events; bounds the delay of a notification.
  private static let checkInterval = Duration.seconds(2)
  private static let checkLimit = Duration.seconds(5)
  /// The query interval for a busy or unreachable server, without events.
  private static let workInterval = Duration.seconds(15)
  /// The query interval for an idle server, without events.
  private static let restInterval = Duration.seconds(60)
  /// The least time between two queries.
  private static let leastPause = Duration.milliseconds(500)
  private static let limit = Duration.seconds(10)

  let server: PairedServer
  let context: Services
  /// The interval of queries without a stream; `nil` detects events over an open stream.
  ///
  /// While a stream is open, servers send no push notifications to phones.
  var poll: Duration?
  /// The earlier results of ended turns.
  var known = EndedTurns()

  /// Queries until the task is cancelled, and passes each result to `report`.
  ///
  /// - Throws: `CancellationError`.
  func run(_ report: @escaping @Sendable (Answer) async -> Void) async throws {
    let (cues, cue) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // Apart from the cues, so that those of the time replace none of the news during a long query.
    let hasNews = Atomic(false)
    let noteNews = { @Sendable in
      hasNews.store(true, ordering: .relaxed)
      cue.yield()
    }
    let takeNews = { @Sendable in hasNews.exchange(false, ordering: .relaxed) }
    noteNews()
    let line = poll == nil ? WatchLine(to: server, in: context) : nil
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [loop = context.loop, poll] in
        while true {
          try await loop.sleep(for: poll ?? Self.checkInterval)
          cue.yield()
        }
      }
      if let line {
        group.addTask { try await line.listen(noteNews) }
      }
      group.addTask { try await query(at: cues, line, report, takeNews) }
      while try await group.next() != nil {}
    }
  }

  /// Queries at the cues that need it; `takeNews` returns whether there was news since its last call.
  private func query(
    at cues: AsyncStream<Void>,
    _ line: WatchLine?,
    _ report: @Sendable (Answer) async -> Void,
    _ takeNews: @Sendable () -> Bool
  ) async throws {
    let loop = context.loop
    var server = self.server
    var turns = self.known
    var known: ServerOverview?
    var queriedAt = loop.now
    var probe = ChangeProbe()
    // An unreachable server gets no checks between its queries.
    var isAway = false
    var refreshedAt: EventLoop.Instant?
    for await _ in cues {
      try Task.checkCancellation()
      let isNews = takeNews()
      if !isNews, !isAway { await keepAccessFresh(on: server, &refreshedAt) }
      if !isNews, poll == nil {
        let isComplete = await line?.isComplete ?? false
        let isAtRest = !isAway && (isComplete || probe.isCounted) && known?.isAtRest == true
        let isDue = loop.now >= queriedAt + (isAtRest ? Self.restInterval : Self.workInterval)
        if !isDue {
          guard !isAway, !isComplete, await hasNews(of: known?.running, on: server, &probe) else {
            continue
          }
        }
      }
      let failures = await line?.failures ?? [:]
      let result = try await query(at: server, turns).map { $0.explained(by: failures) }
      queriedAt = loop.now
      isAway = true
      if case .success(let overview) = result {
        (server, known, isAway) = (overview.server, overview, false)
        turns[server.id] = overview.endedTurns(knowing: turns[server.id])
        await line?.follow(Set(overview.sessions.filter(\.isLoaded).map(\.id)), on: server)
      }
      await report(result)
      try await loop.sleep(for: Self.leastPause)
    }
    throw CancellationError()
  }

  private func query(
    at server: PairedServer,
    _ known: EndedTurns
  ) async throws(CancellationError) -> Answer {
    let fleet = context.fleet(of: [server], within: Self.limit)
    let answers = try await fleet.overviews(.turns, known: known)
    return answers.first?.result ?? .failure(.notPaired)
  }

  /// Replaces the access token in time, so that no command needs a request for one.
  ///
  /// The next query reports a failure.
  private func keepAccessFresh(
    on server: PairedServer,
    _ triedAt: inout EventLoop.Instant?
  ) async {
    let now = context.loop.now
    let isPaused = triedAt.map { now < $0 + Self.workInterval } ?? false
    guard !isPaused, context.connections.isAccessAging(to: server) else { return }
    triedAt = now
    do throws(OppiError) {
      let api = try await context.connections.client(for: server)
      try await api.until(now + Self.checkLimit).keepAccessFresh()
    } catch {
      return
    }
  }

  /// Whether there are events; true also if the server cannot be queried, which the query reports.
  private func hasNews(
    of running: [Session]?,
    on server: PairedServer,
    _ probe: inout ChangeProbe
  ) async -> Bool {
    guard let running else { return false }
    do throws(OppiError) {
      let api = try await context.connections.client(for: server)
      return try await probe.hasNews(of: running, api.within(Self.checkLimit))
    } catch {
      return true
    }
  }
}

extension ServerOverview {
  /// Whether no turn is running and no request is pending.
  fileprivate var isAtRest: Bool {
    requests.isEmpty && !sessions.contains { $0.status.isAtWork || $0.status == .starting }
  }

  /// The sessions with a running turn, the latest first.
  fileprivate var running: [Session] {
    sessions.filter(\.status.isAtWork).sorted { $0.lastActivity > $1.lastActivity }
  }
}

/// Checks cheaply whether a full query of a server would find events that its stream does not
/// report: those of sessions without a subscription, and questions.
struct ChangeProbe: Sendable {
  /// The most running sessions to check, with one request each.
  private static let limit = 20

  /// Whether the server counts the events of all its sessions.
  private(set) var isCounted = false
  private var count: Int?
  /// The event counters of the running sessions, by session id.
  private var sequences: [String: Int] = [:]

  /// Returns whether anything may have happened since the last call.
  ///
  /// - Throws: If the server cannot be queried.
  mutating func hasNews(
    of running: [Session],
    _ calls: ServerCalls
  ) async throws(OppiError) -> Bool {
    let hasCounter = calls.dialect?.updates.hasCounter ?? true
    let present = hasCounter ? try await calls.eventCount() : nil
    var isNew = present != nil && present != count
    (isCounted, count) = (present != nil, present)
    let before = sequences
    sequences = [:]
    for session in running.prefix(Self.limit) {
      let since = before[session.id]
      let answer = try await calls.events(
        of: session.id,
        workspaceID: session.workspaceID,
        since: since ?? ServerCalls.beyondAllEvents
      )
      guard let answer, let sequence = answer.sequence else {
        // The agent is no longer loaded.
        isNew = true
        continue
      }
      sequences[session.id] = sequence
      guard let since, sequence >= since, let events = answer.events else {
        // Without an earlier counter, a full query must find what happened.
        isNew = true
        continue
      }
      isNew = isNew || events.contains { $0.kind.isNews || $0.kind.isAsking }
    }
    return isNew
  }
}

extension ServerMessage.Kind {
  /// Whether the agent starts to ask a question, which streams do not report to watchers.
  fileprivate var isAsking: Bool {
    if case .toolStart(let call) = self { call.tool == "ask" } else { false }
  }
}
