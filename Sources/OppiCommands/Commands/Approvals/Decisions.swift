// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// The user's reply to one or more requests, and the result for each.
struct Decisions {
  private let reply: RequestReply
  private let results: [DecideNamed.Result]

  /// Decides on requests one after the other; continues after a failure.
  init(_ decision: PermissionDecision, on names: [RequestName], in context: Context) async throws {
    let queue = try await ApprovalQueue.ask(context.fleet(), .requests, in: context.intents)
    if let error = FleetFailures(queue.answers).failure { throw error }
    reply = .decision(decision)
    results = await DecideNamed(decision, in: context.intents)
      .decide(on: names.map(\.text), in: queue)
  }

  /// Replies to a request that was shown earlier, if it is still pending and unchanged.
  init(_ reply: RequestReply, asShown row: ListedRequest, in context: Context) async {
    self.reply = reply
    results = [await DecideNamed(reply, in: context.intents).decide(asShown: row)]
  }

  /// One line per confirmed decision; the rest are errors, the first of which sets the exit status.
  var report: Report {
    let errors = results.compactMap { $0.error(of: reply) }
    let rows = results.filter { $0.error(of: reply) == nil }.compactMap { result in
      result.row.map { row in
        [
          StyledText(result.state(of: reply), reply.isRefusal ? .warning : .success),
          StyledText(row.approval.id, .name),
          StyledText(reply.reach, .dim),
          StyledText(row.approval.call),
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
    .list("decisions", "The result for each request", resultShape) { decisions in
      decisions.results.map { ($0, decisions.reply) }
    }
  ]

  private static let resultShape: JSONShape<(result: DecideNamed.Result, reply: RequestReply)> = [
    .text("id", "The request's id, as far as known") {
      $0.result.row?.approval.id ?? $0.result.name
    },
    .text(
      "state",
      "approved or denied if the server confirmed it; else too-late, unknown or failed"
    ) { $0.result.state(of: $0.reply) },
    .text("scope", "The scope of an approval: once, session or global") { $0.reply.scope },
    .member("error", "Why the decision failed, if it failed") {
      $0.result.error(of: $0.reply).map { .string($0.message) }
    },
    .object("request", "The request, if it was found", ListedRequest.shape) { $0.result.row },
  ]
}

extension RequestReply {
  /// The decision of which a table and JSON name the reach; an answer applies once.
  private var decision: PermissionDecision {
    if case .decision(let decision) = self { decision } else { .allow }
  }

  fileprivate var reach: String { decision.reach }

  fileprivate var scope: String { decision.scope }
}

extension DecideNamed.Result {
  /// Why the reply is not known to apply; `nil` if the server confirmed it.
  fileprivate func error(of reply: RequestReply) -> OppiError? {
    let id = row?.request.id ?? name
    switch (outcome, reply) {
    case (.success(.decided), _): return nil
    case (.success(.tooLate), _): return OppiError(ApprovalError.requestGone(id: id))
    case (.success(.changed), _): return OppiError(ApprovalError.requestChanged(id: id))
    case (.success(.unknown), .decision(let decision)),
      (.success(.unconfirmed), .decision(let decision)):
      return OppiError(ApprovalError.decisionUnknown(id: id, decision))
    case (.success(.unknown), .answer), (.success(.unconfirmed), .answer):
      return OppiError(ApprovalError.answerUnknown(id: id))
    case (.failure(let error), _): return OppiError(error)
    }
  }

  fileprivate func state(of reply: RequestReply) -> String {
    switch outcome {
    case .success(let outcome): outcome.commandState(of: reply)
    case .failure(ApprovalError.requestGone): DecisionOutcome.tooLate.commandState(of: reply)
    case .failure: DecisionOutcome.failedState
    }
  }
}
