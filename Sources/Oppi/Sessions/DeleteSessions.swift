// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiText
import OppiTurns
import OppiWire
import Synchronization

/// Deletes sessions that have not been used for a time, or that are named, with their conversations.
///
/// A session is deleted only if nothing runs in it and nothing waits for it: by the lists of its
/// server, read again after the user's decision, and by its agent right before the deletion.
struct DeleteSessions: Sendable {
  struct Candidate: Sendable {
    var server: PairedServer
    var session: Session
    var status: SessionStatus
    /// What was done with it; `nil` if it may be deleted.
    var outcome: Outcome?
    /// The start of its id that no other candidate has.
    var shortID = ""

    var place: SessionID { SessionID(serverID: server.id, sessionID: session.id) }

    /// Why the session is kept.
    var obstacle: Obstacle? {
      if case .kept(let obstacle) = outcome { obstacle } else { nil }
    }
  }

  /// The sessions to delete.
  enum Choice: Sendable {
    /// Those that were last used at least this long ago, of a workspace or of all.
    case unused(for: Duration, inWorkspace: String?)
    case named([SessionID])
  }

  /// Why a session is kept; the raw value is a word of JSON.
  enum Obstacle: String, Sendable {
    /// It was used too recently, or its server does not report when.
    case recent
    case running
    /// An approval or a question is pending.
    case waiting
    /// Its agent runs in a terminal on the server's machine.
    case inTerminal = "terminal"
    /// A prompt in the outbox is for it.
    case queuedPrompt = "queued-prompt"
  }

  enum Outcome: Sendable {
    case deleted
    /// It was deleted before.
    case gone
    case kept(Obstacle)
    case failed(OppiError)
    /// It was not tried, after several failures or after the timeout.
    case untried
  }

  /// An agent that is idle for less may be about to continue.
  static let leastAge = Duration.seconds(60)
  /// How many sessions of a server are deleted concurrently.
  private static let atOnce = 4

  let context: Services
  let fleet: Fleet
  let choice: Choice

  // MARK: - Selecting

  /// Returns the chosen sessions by server, the oldest first, also those that are kept.
  ///
  /// - Throws: If the task was cancelled, or the outbox cannot be read.
  func candidates() async throws -> (all: [Candidate], failures: FleetFailures) {
    let answers = try await answers()
    var all = try candidates(in: answers).filter { $0.obstacle != .recent }
      .sorted {
        ($0.server.name, $0.status.lastActivity, $0.status.id)
          < ($1.server.name, $1.status.lastActivity, $1.status.id)
      }
    let shortIDs = ShortIDs(all.map(\.status.id))
    for index in all.indices { all[index].shortID = shortIDs[all[index].status.id] }
    return (all, FleetFailures(answers))
  }

  private func answers() async throws -> [Fleet.Answer<ServerOverview>] {
    try await fleet.overviews(.turns, of: .all, known: context.knownTurns)
  }

  /// All sessions with what is known about them now.
  private func candidates(in answers: [Fleet.Answer<ServerOverview>]) throws -> [Candidate] {
    let (now, queued) = (context.now(), QueuedSessions(in: context))
    return try answers.compactMap(\.value).flatMap { overview in
      try zip(overview.sessions, overview.statuses).compactMap { session, status in
        guard let age = choice.age(of: session, on: overview.server) else { return nil }
        var obstacle = Self.obstacle(of: session, status, age: age, at: now)
        if obstacle == nil, try queued.hold(session.id, on: overview.server.id) {
          obstacle = .queuedPrompt
        }
        return Candidate(
          server: overview.server,
          session: session,
          status: status,
          outcome: obstacle.map(Outcome.kept)
        )
      }
    }
  }

  /// Why a session is kept, by the lists of its server; with an age of zero not because it was used.
  static func obstacle(
    of session: Session,
    _ status: SessionStatus,
    age: Duration,
    at now: Timestamp
  ) -> Obstacle? {
    // A time of zero is unknown.
    guard
      age == .zero
        || session.lastActivity.milliseconds > 0
          && Duration.seconds(status.lastActivity.age(at: now)) >= age
    else { return .recent }
    switch status.phase {
    case .waiting: return .waiting
    case .running: return .running
    case .failed, .idle, .done: return session.isMirror ? .inTerminal : nil
    }
  }

  // MARK: - Deleting

  /// Deletes the candidates without an outcome that may still be deleted; then all have one.
  ///
  /// - Throws: If the task was cancelled, or the outbox cannot be read.
  func delete(_ candidates: inout [Candidate]) async throws {
    let answers = try await answers()
    let failures = answers.failures()
    let all = try self.candidates(in: answers)
    let present = Dictionary(all.map { ($0.place, $0) }) { first, _ in first }
    var open: [Fingerprint: [Candidate]] = [:]
    for index in candidates.indices where candidates[index].outcome == nil {
      let place = candidates[index].place
      if let failure = failures.first(where: { $0.server.id == place.serverID }) {
        candidates[index].outcome = .failed(failure.error)
      } else if let current = present[place], current.outcome == nil {
        open[place.serverID, default: []].append(current)
      } else {
        candidates[index].outcome = present[place]?.outcome ?? .gone
      }
    }
    let outcomes = await delete(open)
    try Task.checkCancellation()
    for index in candidates.indices where candidates[index].outcome == nil {
      candidates[index].outcome = outcomes[candidates[index].place] ?? .untried
    }
  }

  private func delete(_ candidates: [Fingerprint: [Candidate]]) async -> [SessionID: Outcome] {
    let end = context.timeout.map { context.loop.now + $0 }
    let queued = QueuedSessions(in: context)
    var outcomes: [SessionID: Outcome] = [:]
    let servers = fleet.servers.filter { candidates[$0.id] != nil }
    await context.fleet(of: servers).ask { (calls, server) throws(OppiError) in
      let deletion = SessionDeleter(api: calls.api, queued: queued, end: end)
      return await calls.perform(candidates[server.id] ?? [], atMost: Self.atOnce) {
        candidate,
        calls in
        (candidate.place, await deletion.delete(candidate, over: calls))
      }
    } onAnswer: { answer in
      switch answer.result {
      case .success(let some):
        for (place, outcome) in some { outcomes[place] = outcome }
      case .failure(let error):
        for candidate in candidates[answer.server.id] ?? [] {
          outcomes[candidate.place] = .failed(error)
        }
      }
    }
    return outcomes
  }
}

extension DeleteSessions.Choice {
  /// The least time since a session was last used; `nil` for a session that is not chosen.
  fileprivate func age(of session: Session, on server: PairedServer) -> Duration? {
    guard let workspace = session.workspaceID else { return nil }
    switch self {
    case .unused(let age, let only): return only == nil || only == workspace ? age : nil
    case .named(let places):
      return places.contains(SessionID(serverID: server.id, sessionID: session.id)) ? .zero : nil
    }
  }
}

/// Deletes sessions of one server, one at a time or several, each after a last look at its agent.
private final class SessionDeleter: Sendable {
  /// After this many failures the remaining sessions are not tried.
  private static let failureLimit = 3
  private static let lookLimit = Duration.seconds(5)
  /// A server takes about a second to end an agent.
  private static let deletionLimit = Duration.seconds(15)

  private let api: IntentAPIClient
  private let queued: QueuedSessions
  private let end: EventLoop.Instant?
  private let failureCount = Mutex(0)

  /// With an end, no deletion begins after it.
  init(api: IntentAPIClient, queued: QueuedSessions, end: EventLoop.Instant?) {
    (self.api, self.queued, self.end) = (api, queued, end)
  }

  func delete(
    _ candidate: DeleteSessions.Candidate,
    over calls: ServerCalls
  ) async -> DeleteSessions.Outcome {
    guard failureCount.withLock({ $0 < Self.failureLimit }), !Task.isCancelled,
      end.map({ api.loop.now < $0 }) ?? true, let workspaceID = candidate.session.workspaceID
    else { return .untried }
    do throws(OppiError) {
      if let obstacle = try await obstacle(of: candidate, over: calls) {
        return .kept(obstacle)
      }
      try await calls.until(deadline(after: Self.deletionLimit))
        .deleteSession(candidate.session.id, workspaceID: workspaceID)
      return .deleted
    } catch  where error.reason == .unknownSession {
      return .gone
    } catch {
      // Without the route, no other session can be deleted.
      failureCount.withLock { $0 += error.isMissingRoute ? Self.failureLimit : 1 }
      return .failed(error)
    }
  }

  /// Why the session is kept, by its agent and the outbox now.
  private func obstacle(
    of candidate: DeleteSessions.Candidate,
    over calls: ServerCalls
  ) async throws(OppiError) -> DeleteSessions.Obstacle? {
    let session = candidate.session
    do throws(FileError) {
      if try queued.hold(session.id, on: candidate.server.id) { return .queuedPrompt }
    } catch {
      throw .file(error)
    }
    let deadline = deadline(after: Self.lookLimit)
    var live = session
    if let loaded = try await calls.until(deadline).liveSession(session) {
      live = loaded
    } else {
      // Its agent is not loaded, but it may have run since the sessions were listed.
      live = try await api.until(deadline).session(session.id, workspaceID: session.workspaceID)
        .session
    }
    if live.status.isAtWork || live.status == .starting { return .running }
    if live.lastActivity > session.lastActivity { return .recent }
    return try await isAsking(session, api.until(deadline)) ? .waiting : nil
  }

  /// Whether an approval or a question of the session is pending.
  private func isAsking(
    _ session: Session,
    _ calls: ServerCalls
  ) async throws(OppiError) -> Bool {
    if api.dialect?.requests == .dialogs {
      return try await !calls.dialogs(of: session.id).requests.isEmpty
    }
    do {
      return try await !calls.pendingPermissions(sessionID: session.id).isEmpty
    } catch  where error.isMissingRoute {
      // The server has no gate.
      return false
    }
  }

  private func deadline(after limit: Duration) -> EventLoop.Instant {
    let deadline = api.loop.now + limit
    return end.map { min($0, deadline) } ?? deadline
  }
}

/// The sessions for which prompts are in the outbox.
private final class QueuedSessions: Sendable {
  private let context: Services
  /// By the keys of the prompts that were read; `nil` for a prompt without a session.
  private let known = Mutex<[OutboxKey: SessionID?]>([:])

  init(in context: Services) {
    self.context = context
  }

  /// Whether a prompt is queued for a session; reads the prompts that were added since.
  ///
  /// - Throws: If a prompt cannot be read, because it may be for the session.
  func hold(_ sessionID: String, on serverID: Fingerprint) throws(FileError) -> Bool {
    for key in try context.outbox.keys() where known.withLock({ $0[key] }) == nil {
      let place = try context.outbox.load(key).flatMap(place)
      known.withLock { $0[key] = .some(place) }
    }
    let place = SessionID(serverID: serverID, sessionID: sessionID)
    return known.withLock { $0.values.contains(place) }
  }

  /// The session of an undelivered prompt, or the one that it continues.
  private func place(of queued: QueuedPrompt) throws(FileError) -> SessionID? {
    var prompt = queued
    prompt.expire(at: context.now())
    guard !prompt.isDone else { return nil }
    var session = prompt.session
    if session == nil, let shortcut = prompt.content.conversation,
      let workspace = prompt.target.workspace
    {
      session = try context.shortcutSessions.session(of: shortcut, in: workspace)
    }
    return session.map { SessionID(serverID: prompt.target.serverID, sessionID: $0) }
  }
}
