// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// The user's replies to one or more requests, and the result for each.
struct Decisions {
  private let results: [ReplyResult]

  /// No replies.
  init() { results = [] }

  /// Decides on requests one after the other; continues after a failure.
  init(_ decision: PermissionDecision, on names: [RequestName], in context: Context) async throws {
    let texts = names.map(\.text)
    let queue = try await ApprovalQueue.ask(
      context.fleet(),
      .requests,
      for: texts,
      in: context.intents
    )
    if let error = FleetFailures(queue.answers).failure { throw error }
    results = await context.intents.decide(decision, on: texts, in: queue)
  }

  /// Replies to requests that were shown earlier, one after the other, to each only if it is still
  /// pending and unchanged; continues after a failure.
  init(_ replies: [(reply: RequestReply, row: ListedRequest)], in context: Context) async {
    var results: [ReplyResult] = []
    for (reply, row) in replies {
      let outcome = await context.intents.reply(
        reply,
        to: row.request,
        of: row.id.serverID,
        within: context.timeout
      )
      results.append(ReplyResult(row: row, name: row.request.id, reply: reply, outcome: outcome))
    }
    self.results = results
  }

  /// One line per confirmed decision; the rest are errors, the first of which sets the exit status.
  var report: Report { report { $0.error == nil } }

  /// One line per request, whatever its result; the first error sets the exit status.
  var fullReport: Report { report { _ in true } }

  private func report(listing isListed: (ReplyResult) -> Bool) -> Report {
    let errors = results.compactMap(\.error)
    let rows = results.filter(isListed).compactMap { result in
      result.row.map { row in
        [
          StyledText(result.state, result.style), StyledText(row.approval.id, .name),
          StyledText(result.decision.reach, .dim), StyledText(row.approval.call),
        ]
      }
    }
    return Report(
      Self.shape.document(of: self),
      .table(Table(rows)),
      notes: errors.dropFirst().map { .warning($0.message) },
      failure: errors.first
    )
  }

  static let shape: JSONShape<Decisions> = [
    .list("decisions", "The result for each request", resultShape) { $0.results }
  ]

  private static let resultShape: JSONShape<ReplyResult> = [
    .text("id", "The request's id, as far as known") { $0.row?.approval.id ?? $0.name },
    .text(
      "state",
      "approved or denied if the server confirmed it; else too-late, unknown or failed"
    ) { $0.state },
    .text("scope", "The scope of an approval: once, session or global") { $0.decision.scope },
    .member("error", "Why the decision failed, if it failed") {
      $0.error.map { .string($0.message) }
    },
    .object("request", "The request, if it was found", ListedRequest.shape) { $0.row },
  ]
}

extension ReplyResult {
  /// The decision of which a table and JSON name the scope; an answer applies once.
  fileprivate var decision: PermissionDecision {
    if case .decision(let decision) = reply { decision } else { .allow }
  }

  /// Why the reply is not known to apply; `nil` if the server confirmed it.
  fileprivate var error: OppiError? {
    let id = row?.request.id ?? name
    switch outcome {
    case .success(.decided): return nil
    case .success(.tooLate): return OppiError.requestGone(id: id)
    case .success(.changed): return OppiError.requestChanged(id: id)
    case .success(.unknown), .success(.unconfirmed):
      guard case .decision(let decision) = reply else { return OppiError.answerUnknown(id: id) }
      return OppiError.decisionUnknown(id: id, decision)
    case .failure(let error): return OppiError(error)
    }
  }

  fileprivate var style: Style {
    guard error == nil else { return .error }
    return reply.isRefusal ? .warning : .success
  }

  fileprivate var state: String {
    switch outcome {
    case .success(let outcome): outcome.commandState(of: reply)
    case .failure(let error as OppiError) where error.code == .requestGone:
      DecisionOutcome.tooLate.commandState(of: reply)
    case .failure: DecisionOutcome.failedState
    }
  }
}
