// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// The requests that stay pending while a watch runs, and which of their steps were taken.
struct WatchEscalation {
  /// A pending request with its key.
  struct Pending: Sendable {
    var row: ListedRequest
    var key: EscalationKey
  }

  /// The result of a job.
  enum News: Sendable {
    /// All pending requests are in the file; has the rules of their workspaces.
    case noted(Result<EscalationLedger, FileError>, [WorkspaceReference?: DenyRule])
    /// A step was recorded for requests; this watch must take it for `own`, others did for the rest.
    case claimed(EscalationStep, [Pending], own: [Pending])
    /// A step could not be recorded, so that it was not taken.
    case unclaimed(EscalationStep, FileError)
    /// The command got the request; `failure` is why it failed.
    case passed(Pending, failure: String?)
    case denied(Pending, Result<DecisionOutcome, any Error>)
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

  /// Whether a request was listed by the last answer of its server.
  func isPending(_ pending: Pending) -> Bool {
    listings[pending.row.id.serverID]?.requests.contains { $0.key == pending.key } ?? false
  }

  /// Whether the last error is recent.
  func isPausing(at now: EventLoop.Instant) -> Bool {
    trouble.map { now < $0.at + Self.pause } ?? false
  }

  /// Takes the result of a job; returns an error that was not reported before.
  mutating func take(_ news: News, at now: EventLoop.Instant) -> FileError? {
    switch news {
    case .noted(let result, let rules):
      isNoting = false
      denyRules.merge(rules) { _, new in new }
      switch result {
      case .success(let ledger): (self.ledger, trouble) = (ledger, nil)
      case .failure(let error): return note(error, at: now)
      }
    case .claimed(let step, let all, _): settle(step, all)
    case .unclaimed(let step, let error):
      busy.remove(step)
      return note(error, at: now)
    case .passed(let pending, _): settle(.escalate, [pending])
    case .denied(let pending, _): settle(.deny, [pending])
    }
    return nil
  }

  private mutating func settle(_ step: EscalationStep, _ all: [Pending]) {
    busy.remove(step)
    for pending in all { _ = ledger.claim(step, of: pending.key) }
  }

  private mutating func note(_ error: FileError, at now: EventLoop.Instant) -> FileError? {
    defer { trouble = (error, now) }
    return trouble?.error == error ? nil : error
  }
}

/// The user's command that gets requests which stay pending: one JSON object on standard input.
///
/// Its arguments and its environment contain nothing from a server; its output is dropped.
struct EscalationCommand {
  /// A command that takes longer is killed together with its children.
  private static let limit = Duration.seconds(10)

  private let words: [String]
  private let context: IntentContext

  /// `words` are the program and its arguments.
  init(_ words: [String], in context: IntentContext) {
    (self.words, self.context) = (words, context)
  }

  /// Runs the command to its end; returns why it failed, or `nil`.
  func run(_ document: JSONValue) async -> String? {
    var process = ChildProcess(arguments: words)
    process.input = document.bytes() + [UInt8(ascii: "\n")]
    process.isOutputDiscarded = true
    process.errors = .discarded
    let deadline = context.loop.now + Self.limit
    do {
      let outcome = try await context.programs.run(process, on: context.loop, until: deadline)
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
