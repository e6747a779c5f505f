// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// The user's decision on one or more requests, and the result for each.
struct Decisions {
  private let decision: PermissionDecision
  private let results: [DecideNamed.Result]

  /// Decides on requests one after the other; continues after a failure.
  init(_ decision: PermissionDecision, on names: [RequestName], in context: Context) async throws {
    let queue = try await ApprovalQueue.ask(context.fleet(), .requests, in: context.intents)
    if let error = FleetFailures(queue.answers).failure { throw error }
    self.decision = decision
    results = await DecideNamed(decision, in: context.intents)
      .decide(on: names.map(\.text), in: queue)
  }

  /// Decides on a request that was shown earlier, if it is still pending and unchanged.
  init(_ decision: PermissionDecision, asShown row: ListedRequest, in context: Context) async {
    self.decision = decision
    results = [await DecideNamed(decision, in: context.intents).decide(asShown: row)]
  }

  /// One line per confirmed decision; the rest are errors, the first of which sets the exit status.
  var report: Report {
    let errors = results.compactMap { $0.error(of: decision) }
    var table = Table()
    for result in results where result.error(of: decision) == nil {
      guard let row = result.row else { continue }
      table.add([
        StyledText(result.state(of: decision), decision == .deny ? .warning : .success),
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
    .list("decisions", "The result for each request", resultShape) { decisions in
      decisions.results.map { ($0, decisions.decision) }
    }
  ]

  private static let resultShape:
    JSONShape<(result: DecideNamed.Result, decision: PermissionDecision)> = [
      .member("id", "The request's id, as far as known") {
        .string($0.result.row?.approval.id ?? $0.result.name)
      },
      .member(
        "state",
        "approved or denied if the server confirmed it; else too-late, unknown or failed"
      ) { .string($0.result.state(of: $0.decision)) },
      .member("scope", "The scope of an approval: once, session or global") {
        .string($0.decision.scope)
      },
      .member("error", "Why the decision failed, if it failed") {
        $0.result.error(of: $0.decision).map { .string($0.message) }
      },
      .object("request", "The request, if it was found", ListedRequest.shape) { $0.result.row },
    ]
}

extension DecideNamed.Result {
  /// Why the decision is not known to apply; `nil` if the server confirmed it.
  fileprivate func error(of decision: PermissionDecision) -> OppiError? {
    let id = row?.request.id ?? name
    switch outcome {
    case .success(.decided): return nil
    case .success(.tooLate): return OppiError(ApprovalError.requestGone(id: id))
    case .success(.changed): return OppiError(ApprovalError.requestChanged(id: id))
    case .success(.unknown), .success(.unconfirmed):
      return OppiError(ApprovalError.decisionUnknown(id: id, decision))
    case .failure(let error): return OppiError(error)
    }
  }

  fileprivate func state(of decision: PermissionDecision) -> String {
    switch outcome {
    case .success(let outcome): outcome.commandState(of: decision)
    case .failure(ApprovalError.requestGone): DecisionOutcome.tooLate.commandState(of: decision)
    case .failure: DecisionOutcome.failedState
    }
  }
}
