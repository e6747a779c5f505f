// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiSystem

/// What a menu offers, found without a wait where that can be: from what 'oppi watch' keeps, and from
/// the workspaces as they were last seen.
struct PickList {
  /// As long as servers may take for what a menu can do without.
  private static let glance = Duration.milliseconds(300)

  let kind: PickChoice.Kind?
  let context: Context

  /// Finds everything of the kind; without one shortcuts, workspaces and what waits for approval.
  ///
  /// - Throws: Where there is nothing: why, or that there is none.
  func choices() async throws -> [PickChoice] {
    var choices: [PickChoice] = []
    var failure: OppiError?
    for kind in kind.map({ [$0] }) ?? [.approvals, .shortcuts, .workspaces] {
      do {
        switch kind {
        case .approvals: choices += try await approvals()
        case .sessions: choices += try await sessions()
        case .shortcuts: choices += try await shortcuts()
        case .workspaces: choices += try await workspaces()
        }
      } catch {
        try Task.checkCancellation()
        failure = failure ?? OppiError(error)
        // A server that is away is told of where it was asked for; a folder is never away.
        if self.kind == nil, kind == .shortcuts {
          await context.console.warn(OppiError(error).message)
        }
      }
    }
    guard choices.isEmpty else { return choices.sorted(by: context.recentPicks.ranks()) }
    throw failure ?? OppiError.nothingToPick(kind)
  }

  private func paired() throws -> [PairedServer] {
    let servers = try context.servers()
    guard !servers.isEmpty else { throw IntentError.notPaired }
    return servers
  }

  private func shortcuts() async throws -> [PickChoice] {
    var rows: [PickChoice] = []
    for name in try context.shortcuts.all() {
      do {
        let shortcut = try context.shortcuts.shortcut(name)
        rows.append(.shortcut(NamedShortcut(name: name, shortcut: shortcut)))
      } catch {
        await context.console.warn(OppiError(error).message)
      }
    }
    return rows
  }

  // MARK: - Of servers

  /// What is cached; servers of which nothing is are asked, and waited for only where nothing at all
  /// is cached.
  private func workspaces() async throws -> [PickChoice] {
    let servers = try paired()
    var listings = await context.workspaceQuery.cachedListings(of: servers)
    let unseen = servers.filter { server in !listings.contains { $0.server.id == server.id } }
    if !unseen.isEmpty {
      let limit = listings.isEmpty ? context.answerLimit : limit(Self.glance)
      listings += await context.workspaceQuery.listings(of: unseen, limit: limit)
    }
    let choices = listings.flatMap(\.serverWorkspaces)
      .filter { $0.reference != nil }
      .map(PickChoice.workspace)
    if choices.isEmpty, let error = listings.lazy.compactMap(\.error).first { throw error }
    return choices
  }

  /// Asks the servers for their workspaces, for the next time.
  func refresh() async {
    guard kind == nil || kind == .workspaces, let servers = try? context.servers() else { return }
    _ = await context.workspaceQuery.listings(of: servers, limit: context.answerLimit)
  }

  private func sessions() async throws -> [PickChoice] {
    try await statuses(.turns).flatMap { server, statuses, _ in
      statuses.map { .session(server, $0) }
    }
  }

  private func approvals() async throws -> [PickChoice] {
    let now = context.now()
    let cached = await context.cache.load()
    // A menu of everything does not wait for the lists of sessions.
    return try await statuses(kind == .approvals ? .lists : .requests)
      .flatMap { server, _, requests -> [PickChoice] in
        let workspaces = cached[server.id]?.workspaces ?? []
        return requests.filter { !$0.approval.hasExpired(at: now) }.map { request -> PickChoice in
          let workspace = workspaces.first { $0.id == request.workspaceID }
          let place = RequestPlace(
            server: server.name,
            workspace: workspace?.name ?? request.session?.workspaceName,
            folder: workspace?.folder,
            goal: request.session?.goal,
            sessionID: request.sessionID
          )
          return PickChoice.approval(server, request.approval, place)
        }
      }
  }

  /// What waits for approval, with as much of its session as is known.
  private struct Request {
    let approval: PendingApproval
    let sessionID: String?
    let workspaceID: String?
    let session: SessionStatus?
  }

  private typealias Seen = (PairedServer, [SessionStatus], [Request])

  /// How the sessions stand: as the watch keeps it, else as the servers say.
  private func statuses(_ depth: OverviewQuery.Depth) async throws -> [Seen] {
    let servers = try paired()
    if let kept = context.statusFile.load(), kept.isKept(at: context.now()) {
      return servers.compactMap { server in
        kept.servers.first { $0.id == server.id }
          .map { (server, $0.sessions, $0.sessions.flatMap(requests(of:))) }
      }
    }
    let limit = kind == nil ? limit(Self.glance) : context.answerLimit
    let fleet = Fleet(servers, connections: context.connections, within: limit)
    let answers = try await OverviewQuery(fleet).answers(depth, known: context.knownTurns)
    if depth == .turns {
      context.intents.rememberTurns(of: answers.compactMap { try? $0.result.get() })
    }
    let failures = FleetFailures(answers)
    if let failure = failures.failure { throw failure }
    if kind != nil {
      for error in failures.errors { await context.console.warn(error.message) }
    }
    return answers.compactMap { answer in
      (try? answer.result.get())
        .map { overview in
          (overview.server, overview.statuses(in: context.turnWords), requests(in: overview))
        }
    }
  }

  private func requests(of session: SessionStatus) -> [Request] {
    session.approvals.map {
      Request(
        approval: $0,
        sessionID: session.id,
        workspaceID: session.workspaceID,
        session: session
      )
    }
  }

  private func requests(in overview: ServerOverview) -> [Request] {
    let seen =
      overview.sessions.isEmpty ? context.lastSeen : overview.statuses(in: context.turnWords)
    return overview.requests.map { request in
      let session = seen.first { $0.id == request.sessionID }
      return Request(
        approval: overview.listed(request),
        sessionID: request.sessionID,
        workspaceID: request.workspaceID ?? session?.workspaceID,
        session: session
      )
    }
  }

  private func limit(_ limit: Duration) -> Duration { min(limit, context.answerLimit) }
}
