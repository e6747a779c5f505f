// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// The user's word on one or more requests, and what came of each.
struct Decisions {
  /// What came of the word on one request.
  private struct Result {
    var row: ApprovalRow?
    /// As the user named it.
    var name: String
    var state: String
    var error: OppiError?
  }

  private let decision: PermissionDecision
  private let results: [Result]

  /// Decides on requests, one after the other; none keeps the next from being decided.
  init(_ decision: PermissionDecision, on names: [RequestName], in context: Context) async throws {
    let queue = try await ApprovalQueue.ask(.requests, in: context)
    if let error = queue.failures.failure { throw error }
    var results: [Result] = []
    var decided: Set<String> = []
    for name in names {
      do throws(OppiError) {
        let row = try queue.request(named: name)
        // The same one under two names is decided once.
        guard decided.insert(row.request.id).inserted else { continue }
        guard !Task.isCancelled else { throw OppiError(CancellationError()) }
        results.append(await Self.decide(decision, row, name: name.text, in: context))
      } catch {
        let state = error.code == .requestGone ? "too-late" : "failed"
        results.append(Result(row: nil, name: name.text, state: state, error: error))
      }
    }
    self.decision = decision
    self.results = results
  }

  /// Decides on a request that was shown a while ago, where it still waits as it was shown.
  init(_ decision: PermissionDecision, asShown row: ApprovalRow, in context: Context) async {
    self.decision = decision
    let name = row.request.id
    results = [await Self.decide(decision, row, name: name, wasShown: true, in: context)]
  }

  private static func decide(
    _ decision: PermissionDecision,
    _ row: ApprovalRow,
    name: String,
    wasShown: Bool = false,
    in context: Context
  ) async -> Result {
    func result(_ state: String, _ error: OppiError? = nil) -> Result {
      Result(row: row, name: name, state: state, error: error)
    }
    do throws(IntentError) {
      let api = try await context.connections.client(for: row.server)
        .limited(to: context.options.timeout)
      let desk = DecideRequest(server: row.server, api: api)
      let outcome =
        wasShown
        ? try await desk.decide(decision, asShown: row.request)
        : try await desk.decide(decision, row.request)
      switch outcome {
      case .decided: return result(decision.state)
      case .tooLate: return result("too-late", .requestGone(row.request.id))
      case .changed: return result("too-late", .requestChanged(row.request.id))
      case .unknown: return result("unknown", .decisionUnknown(row.request.id, decision))
      }
    } catch {
      return result("failed", OppiError(error))
    }
  }

  /// A line for each decision that holds; what does not is told as an error, of which the first gives
  /// the exit status.
  var report: Report {
    let held = results.filter { $0.error == nil }
    let errors = results.compactMap(\.error)
    var table = Table()
    for result in held {
      guard let row = result.row else { continue }
      table.add([
        StyledText(result.state, decision == .deny ? .warning : .success),
        StyledText(row.approval.id, .name),
        StyledText(decision.reach, .dim),
        StyledText("\(row.approval.tool): \(row.approval.summary)"),
      ])
    }
    let lines = table
    return Report(
      Self.shape.document(of: self),
      .table(lines),
      notes: errors.dropFirst().map { .warning($0.message) },
      failure: errors.first
    )
  }

  static let shape: JSONShape<Decisions> = [
    .list("decisions", "What came of each request", resultShape) { decisions in
      decisions.results.map { ($0, decisions.decision) }
    }
  ]

  private static let resultShape: JSONShape<(result: Result, decision: PermissionDecision)> = [
    .member("id", "The request's id, as far as it is known") {
      .string($0.result.row?.approval.id ?? $0.result.name)
    },
    .member(
      "state",
      "approved or denied where the server has confirmed it; too-late, unknown or failed"
    ) { .string($0.result.state) },
    .member("scope", "For what an approval holds: once, session or global") {
      .string($0.decision.scope)
    },
    .member("error", "Why it was not decided, where it was not") {
      $0.result.error.map { .string($0.message) }
    },
    .object("request", "The request, where it was found", ApprovalRow.shape) { $0.result.row },
  ]
}

extension PermissionDecision {
  /// What was done where the server has confirmed it.
  fileprivate var state: String { self == .deny ? "denied" : "approved" }

  /// For what it holds.
  fileprivate var reach: String {
    switch self {
    case .allow, .deny: "once"
    case .allowForSession: "for the session"
    case .allowEverywhere: "everywhere from now on"
    }
  }
}

extension OppiError {
  /// The word left, and nobody knows what came of it.
  fileprivate static func decisionUnknown(
    _ id: String,
    _ decision: PermissionDecision
  ) -> OppiError {
    OppiError(
      .outcomeUnknown,
      "whether \(id) was \(decision.state) is not known",
      hints: ["see what waits with: oppi approvals", "what was decided: oppi approvals log"],
      details: ["requestId": .string(id)]
    )
  }
}
