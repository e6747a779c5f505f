// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiSystem
import OppiText
import OppiTurns
import OppiWire

/// The requests that stay pending while a watch runs, and which of their steps were taken.
struct WatchEscalation {
  /// A pending request with its key.
  struct Pending: Sendable {
    var row: ListedRequest
    var key: EscalationKey
  }

  /// When the requests of a workspace are denied; never without a time.
  struct DenyRule: Sendable {
    var after: Duration?
    /// When the workspace's settings could not be found; this is tried again later.
    var failedAt: Timestamp?
  }

  struct Listing: Sendable {
    var requests: [Pending]
    /// When the server answered.
    var at: Timestamp
  }

  /// How long to wait after an error before the next attempt.
  static let pause = Duration.seconds(60)

  private(set) var listings: [Fingerprint: Listing] = [:]
  private(set) var ledger = EscalationLedger()
  /// By workspace; those of requests of an unknown workspace have the key `nil`.
  private(set) var denyRules: [WorkspaceReference?: DenyRule] = [:]
  /// How often the settings have changed.
  private(set) var generation = 0
  var isNoting = false
  /// The steps with a job in progress; each has one at a time.
  var busy: Set<EscalationStep> = []
  /// The last error of the file, and when it occurred; each cause is reported once.
  private var trouble: (error: FileError, at: EventLoop.Instant)?

  /// Takes the answer of a server.
  mutating func take(_ overview: ServerOverview) {
    let known = listings[overview.server.id]?.requests ?? []
    let requests = overview.listedRequests(at: overview.at).map { row in
      // The hash of a long request takes time.
      let key = known.first { $0.row.isSame(row) }?.key
      return Pending(row: row, key: key ?? EscalationKey(row.request, of: overview.server.id))
    }
    // Requests that cannot be told apart have no steps.
    let counts = Dictionary(requests.map { ($0.key, 1) }, uniquingKeysWith: +)
    listings[overview.server.id] = Listing(
      requests: requests.filter { counts[$0.key] == 1 },
      at: overview.at
    )
  }

  /// Forgets the requests of servers that are no longer paired.
  mutating func keep(_ servers: Set<Fingerprint>) {
    listings = listings.filter { servers.contains($0.key) }
  }

  /// Forgets the rules of workspaces, because the settings have changed.
  mutating func forgetRules() {
    denyRules = [:]
    generation += 1
  }

  /// Whether a request was listed by the last answer of its server.
  func isPending(_ pending: Pending) -> Bool {
    listings[pending.row.id.serverID]?.requests.contains { $0.key == pending.key } ?? false
  }

  /// Whether the last error is recent.
  func isPausing(at now: EventLoop.Instant) -> Bool {
    trouble.map { now < $0.at + Self.pause } ?? false
  }

  /// The requests for which a step is due, the most urgent first.
  func due(
    by rules: WatchRules,
    at now: Timestamp,
    isQuiet: Bool
  ) -> [EscalationStep: [Pending]] {
    var due: [EscalationStep: [Pending]] = [:]
    for listing in listings.values {
      for pending in listing.requests where !pending.row.approval.hasExpired(at: now) {
        guard let entry = ledger[pending.key] else { continue }
        let steps = entry.due(
          again: rules.again,
          escalates: rules.escalationCommand != nil,
          denyAfter: denyRules[pending.row.workspaceReference]?.after,
          contactAt: listing.at,
          now: now,
          isQuiet: isQuiet
        )
        for step in steps { due[step, default: []].append(pending) }
      }
    }
    return due.mapValues { $0.sorted { $0.row.approval < $1.row.approval } }
  }

  // MARK: - Results of jobs

  /// Takes all requests of the file and the rules of workspaces, unless the settings have changed
  /// since that generation; returns an error that was not reported before.
  mutating func noted(
    _ result: Result<EscalationLedger, FileError>,
    _ rules: [WorkspaceReference?: DenyRule],
    of generation: Int,
    at now: EventLoop.Instant
  ) -> FileError? {
    isNoting = false
    if generation == self.generation { denyRules.merge(rules) { _, new in new } }
    switch result {
    case .success(let ledger): (self.ledger, trouble) = (ledger, nil)
    case .failure(let error): return note(error, at: now)
    }
    return nil
  }

  /// Takes a step that was recorded for requests, by this watch or another one.
  mutating func settle(_ step: EscalationStep, _ all: [Pending]) {
    busy.remove(step)
    for pending in all { _ = ledger.claim(step, of: pending.key) }
  }

  /// Takes a step that could not be recorded; returns an error that was not reported before.
  mutating func failed(
    _ step: EscalationStep,
    because error: FileError,
    at now: EventLoop.Instant
  ) -> FileError? {
    busy.remove(step)
    return note(error, at: now)
  }

  private mutating func note(_ error: FileError, at now: EventLoop.Instant) -> FileError? {
    defer { trouble = (error, now) }
    return trouble?.error == error ? nil : error
  }
}

extension ListedRequest {
  /// The workspace of the request's session; `nil` if it is unknown.
  var workspaceReference: WorkspaceReference? {
    workspaceID.flatMap { WorkspaceReference(serverID: id.serverID, workspaceID: $0) }
  }
}

/// The user's command that gets requests which stay pending: one JSON object on standard input.
///
/// Its arguments and its environment contain nothing from a server; its output is dropped.
extension Services {
  /// Runs the command, at most for 10 s, then it is killed together with its children; returns why
  /// it failed, or `nil`.
  func escalate(_ document: JSONValue, to words: [String]) async -> String? {
    var process = ChildProcess(arguments: words)
    process.input = document.bytes() + [UInt8(ascii: "\n")]
    process.output = .discarded
    process.errors = .discarded
    do {
      let outcome = try await programs.run(process, on: loop, until: loop.now + .seconds(10))
      return outcome.status == 0 ? nil : "\(words[0]) exited with status \(outcome.status)"
    } catch {
      switch error {
      case .cannotStart(let cause): return "could not run \(words[0]): \(cause)"
      case .timedOut, .tooMuchOutput: return "\(words[0]) took longer than 10 s"
      case .cancelled: return "\(words[0]) was interrupted"
      }
    }
  }
}

/// The steps that were taken for pending requests, in `escalations.json`.
///
/// A step is recorded, and flushed to the disk, before it is taken: it is taken at most once, also by
/// several processes and after a crash.
extension RecordFile<EscalationLedger> {
  /// Adds the pending requests; returns all entries.
  ///
  /// - Throws: `FileError` if the file cannot be read or replaced; a corrupt one is not changed.
  func note(
    _ pending: [EscalationKey],
    at now: Timestamp
  ) async throws(FileError) -> EscalationLedger {
    try await update { ledger throws(FileError) in
      ledger.note(pending, at: now)
      return ledger
    }
  }

  /// Records that a step is about to be taken; returns the requests for which it was not recorded
  /// before, and for which the caller must take it.
  ///
  /// - Throws: As ``note(_:at:)``; then no step may be taken.
  func claim(
    _ step: EscalationStep,
    of keys: [EscalationKey]
  ) async throws(FileError) -> Set<EscalationKey> {
    try await update { ledger throws(FileError) in
      Set(keys.filter { ledger.claim(step, of: $0) })
    }
  }
}
