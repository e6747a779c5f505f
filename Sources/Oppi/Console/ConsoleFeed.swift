// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import Synchronization

/// The answers of all paired servers for the console, as they change.
final class ConsoleFeed: Sendable {
  /// The sessions of schedules, and when they were read.
  private struct Scheduled {
    var sessions: Set<SessionPlace>
    var at: Timestamp
  }

  /// How long to reuse the sessions of schedules: their files are not read for each answer of a
  /// server.
  private static let scheduledTime = Duration.seconds(5)

  typealias Look = Result<ConsoleBoard.Answer, OppiError>

  private let servers: [PairedServer]
  private let context: IntentContext
  private let scheduled = Mutex<Scheduled?>(nil)

  init(_ servers: [PairedServer], in context: IntentContext) {
    (self.servers, self.context) = (servers, context)
  }

  /// Watches all servers until the task is cancelled, and passes each answer to `tell`.
  ///
  /// `tellDecisions` gets the recorded decisions on requests that are no longer listed, by the ids
  /// of the requests.
  ///
  /// - Throws: `CancellationError`.
  func run(
    _ tell: @escaping @Sendable (PairedServer, Look) -> Void,
    decisions tellDecisions: @escaping @Sendable (PairedServer, [String: AuditEntry]) -> Void
  ) async throws {
    let known = context.knownTurns
    try await withThrowingTaskGroup(of: Void.self) { group in
      for server in servers {
        let watch = ServerWatch(server: server, context: context, known: known)
        let ended = EndedRequests(in: context)
        group.addTask {
          try await watch.run { look in
            tell(server, await self.look(look))
            if case .success(let overview) = look { ended.take(overview) }
          }
        }
        group.addTask { await ended.run { tellDecisions(server, $0) } }
      }
      while try await group.next() != nil {}
    }
  }

  /// Queries all servers once, now.
  func refresh(_ tell: @Sendable (PairedServer, Look) -> Void) async throws {
    let fleet = context.fleet(of: servers)
    for answer in try await fleet.overviews(.turns, known: context.knownTurns) {
      tell(answer.server, await look(answer.result))
    }
  }

  private func look(_ look: ServerWatch.Look) async -> Look {
    let overview: ServerOverview
    switch look {
    case .success(let found): overview = found
    case .failure(let error): return .failure(error)
    }
    context.rememberTurns(of: [overview])
    let workspaces = await context.cache.load()[overview.server.id]?.workspaces ?? []
    return .success(answer(overview, workspaces, scheduledSessions()))
  }

  private func answer(
    _ overview: ServerOverview,
    _ workspaces: [Workspace],
    _ scheduled: Set<SessionPlace>
  ) -> ConsoleBoard.Answer {
    var requests = overview.listedRequests(in: workspaces, at: context.now())
    for index in requests.indices {
      requests[index].isScheduled = requests[index].id.session.map(scheduled.contains) ?? false
    }
    return ConsoleBoard.Answer(
      at: overview.at,
      clockOffset: overview.clockOffset,
      way: overview.way,
      requests: requests,
      sessions: overview.statuses
    )
  }

  /// The sessions that schedules of this machine started; none if the schedules cannot be read.
  private func scheduledSessions() -> Set<SessionPlace> {
    let now = context.now()
    if let known = scheduled.withLock({ $0 }), now >= known.at,
      now < known.at.moved(by: Self.scheduledTime)
    {
      return known.sessions
    }
    let sessions = readScheduledSessions()
    scheduled.withLock { $0 = Scheduled(sessions: sessions, at: now) }
    return sessions
  }

  private func readScheduledSessions() -> Set<SessionPlace> {
    let names = (try? context.schedules.keys()) ?? []
    let records = names.compactMap { try? context.schedules.load($0) }
    return Set(records.flatMap(\.runs).compactMap(\.session))
  }
}

/// Searches the conversations of all servers for a text.
struct ConsoleSearch: Sendable {
  struct Hit: Sendable {
    let session: BoardSession
    /// The text around the match, on one line and safe to show.
    let snippet: String
  }

  private static let limit = 50

  private let servers: [PairedServer]
  private let context: IntentContext

  init(_ servers: [PairedServer], in context: IntentContext) {
    (self.servers, self.context) = (servers, context)
  }

  /// The sessions that contain a text, the best match first, and the servers that did not search.
  ///
  /// - Throws: `CancellationError`.
  func hits(
    for text: String
  ) async throws(CancellationError) -> (hits: [Hit], silent: [String]) {
    let answers = try await context.fleet(of: servers).answers {
      (calls, _) throws(OppiError) in
      try await calls.search(text, workspaceID: nil, limit: Self.limit)
    }
    var (ranked, silent): ([(hit: Hit, rank: Double)], [String]) = ([], [])
    for answer in answers {
      guard case .success(let results?) = answer.result else {
        silent.append(answer.server.name)
        continue
      }
      ranked += results.map { (hit($0, on: answer.server), $0.rank) }
    }
    return (ranked.sorted { $0.rank < $1.rank }.map(\.hit), silent.sorted())
  }

  private func hit(_ result: SearchResult, on server: PairedServer) -> Hit {
    let status = SessionStatus(
      result.session,
      clockOffset: .zero,
      approvals: [],
      turn: nil,
      question: nil
    )
    return Hit(
      session: BoardSession(serverID: server.id, server: server.name, status: status),
      snippet: result.snippet.map(\.text).joined()
    )
  }
}
