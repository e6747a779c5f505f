// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The user's replies to one or more requests, and the result for each.
struct Decisions {
  private typealias Row = (result: DecideNamed.Result, reply: RequestReply)

  private let results: [Row]

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
    results = await DecideNamed(decision, in: context.intents)
      .decide(on: texts, in: queue).map { ($0, .decision(decision)) }
  }

  /// Replies to a request that was shown earlier, if it is still pending and unchanged.
  init(_ reply: RequestReply, asShown row: ListedRequest, in context: Context) async {
    self = await Decisions([(reply, row)], in: context)
  }

  /// Replies to requests that were shown earlier, one after the other, to each only if it is still
  /// pending and unchanged; continues after a failure.
  init(_ replies: [(reply: RequestReply, row: ListedRequest)], in context: Context) async {
    var results: [Row] = []
    for (reply, row) in replies {
      let result = await DecideNamed(reply, in: context.intents).decide(asShown: row)
      results.append((result, reply))
    }
    self.results = results
  }

  /// One line per confirmed decision; the rest are errors, the first of which sets the exit status.
  var report: Report { report { $0.result.error(of: $0.reply) == nil } }

  /// One line per request, whatever its result; the first error sets the exit status.
  var fullReport: Report { report { _ in true } }

  private func report(listing isListed: (Row) -> Bool) -> Report {
    let errors = results.compactMap { $0.result.error(of: $0.reply) }
    let rows = results.filter(isListed).compactMap { result, reply in
      result.row.map { row in
        [
          StyledText(result.state(of: reply), result.style(of: reply)),
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
      decisions.results
    }
  ]

  private static let resultShape: JSONShape<Row> = [
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
    case (.success(.tooLate), _): return OppiError.requestGone(id: id)
    case (.success(.changed), _): return OppiError.requestChanged(id: id)
    case (.success(.unknown), .decision(let decision)),
      (.success(.unconfirmed), .decision(let decision)):
      return OppiError.decisionUnknown(id: id, decision)
    case (.success(.unknown), .answer), (.success(.unconfirmed), .answer):
      return OppiError.answerUnknown(id: id)
    case (.failure(let error), _): return OppiError(error)
    }
  }

  fileprivate func style(of reply: RequestReply) -> Style {
    guard error(of: reply) == nil else { return .error }
    return reply.isRefusal ? .warning : .success
  }

  fileprivate func state(of reply: RequestReply) -> String {
    switch outcome {
    case .success(let outcome): outcome.commandState(of: reply)
    case .failure(let error as OppiError) where error.code == .requestGone:
      DecisionOutcome.tooLate.commandState(of: reply)
    case .failure: DecisionOutcome.failedState
    }
  }
}
