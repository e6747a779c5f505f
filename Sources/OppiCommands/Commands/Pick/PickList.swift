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
    throw failure ?? OppiError(.noInput, kind?.absence ?? "no workspaces and no shortcuts")
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
        rows.append(.shortcut(ShortcutRow(name: name, shortcut: shortcut)))
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
    try await statuses(.lists).flatMap { server, statuses, _ in
      statuses.map { .session(server, $0) }
    }
  }

  private func approvals() async throws -> [PickChoice] {
    let now = context.now()
    return try await statuses(.requests).flatMap { server, _, approvals in
      approvals.filter { !$0.hasExpired(at: now) }.map { .approval(server, $0) }
    }
  }

  private typealias Seen = (PairedServer, [SessionStatus], [PendingApproval])

  /// How the sessions stand: as the watch keeps it, else as the servers say.
  private func statuses(_ depth: OverviewQuery.Depth) async throws -> [Seen] {
    let servers = try paired()
    if let kept = context.statusFile.load(), kept.isKept(at: context.now()) {
      return servers.compactMap { server in
        kept.servers.first { $0.id == server.id }
          .map { (server, $0.sessions, $0.sessions.flatMap(\.approvals)) }
      }
    }
    let limit = kind == nil ? limit(Self.glance) : context.answerLimit
    let fleet = Fleet(servers, connections: context.connections, within: limit)
    let answers = await OverviewQuery(fleet).answers(depth)
    try Task.checkCancellation()
    let failures = FleetFailures(answers)
    if let failure = failures.failure { throw failure }
    if kind != nil {
      for error in failures.errors { await context.console.warn(error.message) }
    }
    return answers.compactMap { answer in
      (try? answer.result.get())
        .map { ($0.server, $0.statuses, $0.requests.map($0.listed)) }
    }
  }

  private func limit(_ limit: Duration) -> Duration { min(limit, context.answerLimit) }
}
