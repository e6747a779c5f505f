// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport
import Synchronization

/// Deletes sessions that have not been used for a time, with their conversations.
///
/// A session is deleted only if nothing runs in it and nothing waits for it: by the lists of its
/// server, read again after the user's decision, and by its agent right before the deletion.
struct DeleteSessions: Sendable {
  struct Candidate: Sendable {
    var server: PairedServer
    var session: Session
    var status: SessionStatus
    /// Why the session is kept; `nil` if it may be deleted.
    var obstacle: Obstacle?
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

  private let context: IntentContext
  private let fleet: Fleet
  private let workspaceID: String?
  private let age: Duration

  /// Selects sessions of one workspace, or of all, that were last used longer than `age` ago.
  init(
    _ fleet: Fleet,
    inWorkspace workspaceID: String?,
    olderThan age: Duration,
    in context: IntentContext
  ) {
    self.fleet = fleet
    self.workspaceID = workspaceID
    self.age = max(age, Self.leastAge)
    self.context = context
  }

  // MARK: - Selecting

  /// Returns the old sessions of each server, the oldest first, also those that are kept.
  ///
  /// - Throws: If the task was cancelled, or the outbox cannot be read.
  func candidates() async throws -> [Fleet.Answer<[Candidate]>] {
    try await look().map { answer in
      answer.map { all in
        all.filter { $0.obstacle != .recent }
          .sorted {
            ($0.status.lastActivity, $0.status.id) < ($1.status.lastActivity, $1.status.id)
          }
      }
    }
  }

  /// All sessions with what is known about them now.
  private func look() async throws -> [Fleet.Answer<[Candidate]>] {
    let queued = QueuedSessions(in: context)
    return try await OverviewQuery(fleet)
      .answers(.turns, of: .all, known: context.knownTurns)
      .map { answer in try answer.map { try candidates(in: $0, queued) } }
  }

  private func candidates(
    in overview: ServerOverview,
    _ queued: QueuedSessions
  ) throws -> [Candidate] {
    let now = context.now()
    return try zip(overview.sessions, overview.statuses)
      .filter { session, _ in
        session.workspaceID != nil && (workspaceID == nil || session.workspaceID == workspaceID)
      }
      .map { session, status in
        var obstacle = Self.obstacle(of: session, status, age: age, at: now)
        if obstacle == nil, try queued.hold(session.id, on: overview.server.id) {
          obstacle = .queuedPrompt
        }
        return Candidate(
          server: overview.server,
          session: session,
          status: status,
          obstacle: obstacle
        )
      }
  }

  /// Why a session is kept, by the lists of its server.
  static func obstacle(
    of session: Session,
    _ status: SessionStatus,
    age: Duration,
    at now: Timestamp
  ) -> Obstacle? {
    // A time of zero is unknown.
    guard session.lastActivity.milliseconds > 0,
      Duration.seconds(status.lastActivity.age(at: now)) >= age
    else { return .recent }
    switch status.phase {
    case .waiting: return .waiting
    case .running: return .running
    case .failed, .idle, .done: return session.isMirror ? .inTerminal : nil
    }
  }

  // MARK: - Deleting

  /// Deletes the sessions that may still be deleted; a session without an outcome was not tried.
  ///
  /// - Throws: If the task was cancelled, or the outbox cannot be read.
  func delete(_ candidates: [Candidate]) async throws -> [SessionPlace: Outcome] {
    let looks = try await look()
    var outcomes: [SessionPlace: Outcome] = [:]
    var open: [Fingerprint: [Candidate]] = [:]
    for candidate in candidates where candidate.obstacle == nil {
      switch Self.current(candidate, in: looks) {
      case .success(let current?) where current.obstacle == nil:
        open[candidate.server.id, default: []].append(current)
      case .success(let current):
        outcomes[candidate.place] = current?.obstacle.map(Outcome.kept) ?? .gone
      case .failure(let error): outcomes[candidate.place] = .failed(error)
      }
    }
    for (place, outcome) in await delete(open) { outcomes[place] = outcome }
    try Task.checkCancellation()
    return outcomes
  }

  /// A candidate as its server lists it now; `nil` if the server does not.
  private static func current(
    _ candidate: Candidate,
    in looks: [Fleet.Answer<[Candidate]>]
  ) -> Result<Candidate?, OppiError> {
    guard let answer = looks.first(where: { $0.server.id == candidate.server.id }) else {
      return .success(candidate)
    }
    return answer.result.map { all in all.first { $0.place == candidate.place } }
  }

  private func delete(
    _ candidates: [Fingerprint: [Candidate]]
  ) async -> [(SessionPlace, Outcome)] {
    let end = context.timeout.map { context.loop.now + $0 }
    let queued = QueuedSessions(in: context)
    var results: [(SessionPlace, Outcome)] = []
    let servers = fleet.servers.filter { candidates[$0.id] != nil }
    await context.fleet(of: servers).ask { (calls, server) throws(OppiError) in
      let deletion = SessionDeleter(api: calls.api, age: age, queued: queued, end: end)
      return await calls.perform(candidates[server.id] ?? [], atMost: Self.atOnce) {
        candidate,
        calls in
        (candidate.place, await deletion.delete(candidate, over: calls))
      }
    } onAnswer: { answer in
      switch answer.result {
      case .success(let some): results += some
      case .failure(let error):
        results += (candidates[answer.server.id] ?? []).map { ($0.place, .failed(error)) }
      }
    }
    return results
  }
}

extension DeleteSessions.Candidate {
  var place: SessionPlace { SessionPlace(serverID: server.id, sessionID: session.id) }
}

/// The sessions for which prompts are in the outbox.
final class QueuedSessions: Sendable {
  private let context: IntentContext
  /// By the keys of the prompts that were read; `nil` for a prompt without a session.
  private let known = Mutex<[OutboxKey: SessionPlace?]>([:])

  init(in context: IntentContext) {
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
    let place = SessionPlace(serverID: serverID, sessionID: sessionID)
    return known.withLock { $0.values.contains(place) }
  }

  /// The session of an undelivered prompt, or the one that it continues.
  private func place(of queued: QueuedPrompt) throws(FileError) -> SessionPlace? {
    var prompt = queued
    prompt.expire(at: context.now())
    guard !prompt.isDone else { return nil }
    var session = prompt.session
    if session == nil, let shortcut = prompt.content.conversation,
      let workspace = prompt.target.workspace
    {
      session = try context.shortcutSessions.session(of: shortcut, in: workspace)
    }
    return session.map { SessionPlace(serverID: prompt.target.serverID, sessionID: $0) }
  }
}
