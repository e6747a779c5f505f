// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiText
import OppiTurns
import OppiWire
import Synchronization

/// The answers of all paired servers for the console, as they change.
final class ConsoleFeed: Sendable {
  /// How long to reuse the sessions of schedules: their files are not read for each answer of a
  /// server.
  private static let scheduledTime = Duration.seconds(5)

  private let servers: [PairedServer]
  private let context: Services
  /// The sessions of schedules, and when they were read.
  private let scheduled = Mutex<(sessions: Set<SessionID>, at: Timestamp)?>(nil)

  init(_ servers: [PairedServer], in context: Services) {
    (self.servers, self.context) = (servers, context)
  }

  /// Watches all servers until the task is cancelled, and reports each answer, and the recorded
  /// decisions on requests that are no longer listed.
  ///
  /// - Throws: `CancellationError`.
  func run(_ report: @escaping @Sendable (ConsoleNews) -> Void) async throws {
    let known = context.knownTurns
    try await withThrowingTaskGroup(of: Void.self) { group in
      for server in servers {
        let watch = ServerWatch(server: server, context: context, known: known)
        let ended = EndedRequests(in: context)
        group.addTask {
          try await watch.run { answer in
            report(await self.news(of: server, answer))
            if case .success(let overview) = answer { ended.take(overview) }
          }
        }
        group.addTask { await ended.run { report(.decided(server.id, $0)) } }
      }
      while try await group.next() != nil {}
    }
  }

  /// Queries all servers once, now.
  func refresh(_ report: @Sendable (ConsoleNews) -> Void) async throws {
    let fleet = context.fleet(of: servers)
    for answer in try await fleet.overviews(.turns, known: context.knownTurns) {
      report(await news(of: answer.server, answer.result))
    }
  }

  private func news(of server: PairedServer, _ answer: ServerWatch.Answer) async -> ConsoleNews {
    let overview: ServerOverview
    switch answer {
    case .success(let found): overview = found
    case .failure(let error): return .looked(server.id, .failure(FleetView.Failure(error)))
    }
    context.rememberTurns(of: [overview])
    let workspaces = await context.cache.load()[overview.server.id]?.workspaces ?? []
    let scheduled = scheduledSessions()
    var answer = FleetView.Answer(
      at: overview.at,
      clockOffset: overview.clockOffset,
      way: overview.way,
      requests: overview.listedRequests(in: workspaces, at: context.now()),
      sessions: overview.statuses
    )
    await context.remember(listed: answer.requests.map(\.shown))
    for (index, request) in answer.requests.enumerated() {
      answer.requests[index].isScheduled = request.id.session.map(scheduled.contains) ?? false
    }
    return .looked(server.id, .success(answer))
  }

  /// The sessions that schedules of this machine started; none if the schedules cannot be read.
  private func scheduledSessions() -> Set<SessionID> {
    let now = context.now()
    if let known = scheduled.withLock({ $0 }), now >= known.at,
      now < known.at.moved(by: Self.scheduledTime)
    {
      return known.sessions
    }
    let names = (try? context.schedules.keys()) ?? []
    let records = names.compactMap { try? context.schedules.load($0) }
    let sessions = Set(records.flatMap(\.runs).compactMap(\.session))
    scheduled.withLock { $0 = (sessions, now) }
    return sessions
  }
}

/// The search in conversations.
extension ConsoleFeed {
  private static let hitLimit = 50

  /// The sessions that contain a text, the best match first, and the servers that did not search.
  ///
  /// - Throws: `CancellationError`.
  func search(_ text: String) async throws(CancellationError) -> WorkNews {
    let answers = try await context.fleet(of: servers).answers {
      (calls, _) throws(OppiError) in
      try await calls.search(text, workspaceID: nil, limit: Self.hitLimit)
    }
    var (ranked, silent): ([(hit: SessionHit, rank: Double)], [String]) = ([], [])
    for answer in answers {
      guard case .success(let results?) = answer.result else {
        silent.append(answer.server.name)
        continue
      }
      ranked += results.map { (Self.hit($0, on: answer.server), $0.rank) }
    }
    return .found(text, ranked.sorted { $0.rank < $1.rank }.map(\.hit), silent: silent.sorted())
  }

  private static func hit(_ result: SearchResult, on server: PairedServer) -> SessionHit {
    let status = SessionStatus(
      result.session,
      clockOffset: .zero,
      approvals: [],
      turn: nil,
      question: nil
    )
    let session = ListedSession(serverID: server.id, server: server.name, status: status)
    return SessionHit(session: session, match: result.match)
  }
}

extension FleetView.Failure {
  /// The message and the first hint of an error.
  fileprivate init(_ error: OppiError) {
    let kind: Kind =
      switch error.code {
      case _ where error.isFinalRefusal: .refusal
      case .pinMismatch, .certificateRejected, .identityMismatch: .notTrusted
      case .protocolBroken: .invalid
      default: .unreachable
      }
    self.init(
      message: error.message.safeLine(limit: 200),
      remedy: kind == .unreachable ? nil : error.hints.first?.safeLine(limit: 200),
      kind: kind
    )
  }
}

/// Finds in the record of a server how requests ended that it no longer lists.
final class EndedRequests: Sendable {
  /// Requests that are no longer listed, and when they were last, on the server's clock.
  private typealias Search = (
    requests: [PermissionRequest], server: PairedServer, listedAt: Timestamp
  )

  /// The latest entries of a record that are read.
  private static let limit = 50

  private let context: Services
  /// The last list of requests, and its time on the server's clock.
  private let last = Mutex<(requests: [PermissionRequest], at: Timestamp)?>(nil)
  private let searches: AsyncStream<Search>
  private let post: AsyncStream<Search>.Continuation

  init(in context: Services) {
    self.context = context
    (searches, post) = AsyncStream.makeStream()
  }

  /// Compares an overview with the previous one; does not wait for the record.
  func take(_ overview: ServerOverview) {
    let present = (
      requests: overview.requests.compactMap(\.permission),
      at: overview.at.moved(by: overview.clockOffset)
    )
    let last = last.withLock { last in
      defer { last = present }
      return last
    }
    let ids = Set(present.requests.map(\.id))
    let gone = last?.requests.filter { !ids.contains($0.id) } ?? []
    guard overview.way == .permissions, let last, !gone.isEmpty else { return }
    post.yield((requests: gone, server: overview.server, listedAt: last.at))
  }

  /// Passes the recorded decisions on requests to `report`, by the requests' ids, until the task
  /// is cancelled.
  func run(_ report: @Sendable ([String: AuditEntry]) -> Void) async {
    for await search in searches {
      guard let record = await record(of: search.server) else { continue }
      let entries = RecordedDecisions.entries(
        of: search.requests,
        in: record,
        listedAt: search.listedAt
      )
      if !entries.isEmpty { report(entries) }
    }
  }

  private func record(of server: PairedServer) async -> [AuditEntry]? {
    do {
      let api = try await context.connections.client(for: server)
      return try await api.within(context.answerLimit).audit(limit: Self.limit, sessionID: nil)
    } catch {
      await context.reporter.detail("could not read the record of decisions", because: error)
      return nil
    }
  }
}
