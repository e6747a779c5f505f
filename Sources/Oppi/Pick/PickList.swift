// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiText
import OppiTurns
import OppiWire

/// The choices of a menu, from cached data if possible: the status that 'oppi watch' keeps, and the
/// last known workspaces.
struct PickList: Sendable {
  /// The time limit for answers that a menu does not need.
  private static let glance = Duration.milliseconds(300)

  /// `nil` for the menu of everything: shortcuts, workspaces and pending approvals.
  let kind: PickChoice.Kind?
  let context: Context

  /// Shows the menu and remembers the choice; meanwhile refreshes the cached workspaces.
  ///
  /// - Throws: As ``choices()``, or `MenuError`.
  func choice(from runner: MenuRunner) async throws -> PickChoice {
    let choices = try await choices()
    await context.services.remember(listed: choices.compactMap(\.shown))
    async let _ = refresh()
    let menu = Menu(kind?.prompt ?? "oppi", numbering: choices.map(\.row))
    let choice = choices[try await runner.choose(from: menu)]
    if let memory = choice.memory {
      await context.files.attemptWaiting { () async throws(FileError) in
        try await context.recentPicks.update { $0.add(memory) }
      }
    }
    return choice
  }

  /// Finds all choices of the kind, sorted.
  ///
  /// - Throws: If there are none: the first failure, or `OppiError`.
  private func choices() async throws -> [PickChoice] {
    var choices: [PickChoice] = []
    var failure: (any Error)?
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
        failure = failure ?? error
        // The menu of everything ignores servers that are offline, but not the folder of shortcuts.
        if self.kind == nil, kind == .shortcuts {
          await context.reporter.warn(context.reporter.reason(of: error).message)
        }
      }
    }
    guard choices.isEmpty else {
      return choices.sorted(by: context.recentPicks.usable()?.ranks ?? [:])
    }
    throw failure ?? OppiError(.noInput, kind?.absence ?? "no workspaces and no shortcuts")
  }

  private func shortcuts() async throws -> [PickChoice] {
    var rows: [PickChoice] = []
    for name in try context.shortcuts.all() {
      do {
        let shortcut = try context.shortcuts.shortcut(name)
        rows.append(.shortcut(NamedShortcut(name: name, shortcut: shortcut)))
      } catch {
        await context.reporter.warn(context.reporter.reason(of: error).message)
      }
    }
    return rows
  }

  // MARK: - Of servers

  /// Returns the cached workspaces; queries servers that have none in the cache, with a short time
  /// limit unless nothing is cached.
  private func workspaces() async throws -> [PickChoice] {
    let servers = try context.pairedServers()
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

  private func refresh() async {
    guard kind == nil || kind == .workspaces, let servers = try? context.servers() else { return }
    _ = await context.services.workspaceQuery.listings(of: servers, limit: context.answerLimit)
  }

  private func sessions() async throws -> [PickChoice] {
    try await statuses(.turns).flatMap { server, statuses, _ in
      statuses.map { .session(server, $0) }
    }
  }

  private func approvals() async throws -> [PickChoice] {
    let now = context.now()
    let cached = await context.cache.load()
    // The menu of everything does not need the lists of sessions.
    return try await statuses(kind == .approvals ? .lists : .requests)
      .flatMap { server, _, requests -> [PickChoice] in
        let workspaces = cached[server.id]?.workspaces ?? []
        return requests.filter { !$0.approval.hasExpired(at: now) }.map { request -> PickChoice in
          let place = RequestOrigin(
            server: server.name,
            sessionID: request.sessionID,
            goal: request.session?.goal,
            workspaceID: request.workspaceID,
            workspaceName: request.session?.workspaceName,
            in: workspaces
          )
          let id = ListedRequest.ID(
            serverID: server.id,
            sessionID: request.sessionID,
            requestID: request.approval.id
          )
          return PickChoice.approval(id, request.approval, place)
        }
      }
  }

  /// A pending request, with what is known about its session.
  private typealias Request = (
    approval: PendingApproval, sessionID: String?, workspaceID: String?, session: SessionStatus?
  )

  private typealias Seen = (PairedServer, [SessionStatus], [Request])

  /// Returns the sessions' states from the status that 'oppi watch' keeps, else from the servers.
  private func statuses(_ depth: Fleet.Depth) async throws -> [Seen] {
    let servers = try context.pairedServers()
    if let kept = context.statusFile.usable(), kept.isKept(at: context.now()) {
      return servers.compactMap { server in
        guard let sessions = kept.servers.first(where: { $0.id == server.id })?.sessions else {
          return nil
        }
        let requests = sessions.flatMap { session in
          session.approvals.map { ($0, session.id, session.workspaceID, session) as Request }
        }
        return (server, sessions, requests)
      }
    }
    let limit = kind == nil ? limit(Self.glance) : context.answerLimit
    let fleet = context.fleet(of: servers, within: limit)
    let answers = try await fleet.overviews(depth, known: context.knownTurns)
    if depth == .turns { context.services.rememberTurns(of: answers.compactMap(\.value)) }
    let failures = answers.failures()
    if let failure = failures.first, failures.count == answers.count { throw failure.error }
    if kind != nil {
      for failure in failures {
        await context.reporter.warn(context.reporter.reason(of: failure.error).message)
      }
    }
    return answers.compactMap(\.value).map { overview in
      (overview.server, overview.statuses, requests(in: overview))
    }
  }

  private func requests(in overview: ServerOverview) -> [Request] {
    let seen =
      overview.sessions.isEmpty
      ? context.lastSeen.filter { $0.id.serverID == overview.server.id }.map(\.status)
      : overview.statuses
    return overview.requests.map { request in
      let session = seen.first { $0.id == request.sessionID }
      let approval = PendingApproval(request, clockOffset: overview.clockOffset)
      let workspaceID = request.workspaceID ?? session?.workspaceID
      return (approval, request.sessionID, workspaceID, session)
    }
  }

  private func limit(_ limit: Duration) -> Duration { min(limit, context.answerLimit) }
}

/// The user's recent choices in menus, in `recent-picks.json`.
///
/// Only the order is kept; losing it affects only the order of menus.
struct RecentPicks: ShapedRecord {
  static let countLimit = 200

  private var picks: [String] = []

  static let shape = RecordShape(
    RecentPicks(),
    [.checked("picks", { $1(&$0.picks) }, .list(of: .text))]
  )

  /// The rank of each known choice: 0 for the last one.
  var ranks: [String: Int] { Dictionary(zip(picks.reversed(), 0...)) { first, _ in first } }

  /// Adds a choice as the last one; beyond the limit, the oldest are dropped.
  mutating func add(_ pick: String) {
    picks.removeAll { $0 == pick }
    picks.append(pick)
    picks = picks.suffix(Self.countLimit)
  }
}

extension Services {
  var recentPicks: RecordFile<RecentPicks> {
    RecordFile(
      paths.recentPicksFile,
      in: files,
      limit: 1 << 20,
      .passing,
      reason: { _ in "picks is not a list" }
    )
  }
}
