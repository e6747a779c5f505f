// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiModel
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire

/// The user's replies to one or more requests, and the result for each.
package struct Decisions {
  private var results: [DecisionResult] = []

  /// No replies.
  package init() {}

  /// Decides on pending requests one after the other; continues after a failure.
  ///
  /// Two names of one request decide on it once. The start of an id approves only a request that was
  /// shown, if one with this start was. After the first decision the list is no longer new,
  /// so that an approval then needs the request to be as listed.
  init(_ decision: PermissionDecision, on names: [RequestName], in context: Context) async throws {
    let names = names.map(\.text)
    let queue = try await ApprovalQueue.ask(
      context.fleet(),
      .requests,
      for: names,
      in: context.services
    )
    if let error = FleetFailures(queue.answers).failure { throw error }
    let reply = RequestReply.decision(decision)
    let shown = reply.isRefusal ? nil : context.services.shownRequests.usable()
    var decided: Set<ListedRequest.ID> = []
    for name in names {
      do {
        let row = try queue.request(named: name)
        guard decided.insert(row.id).inserted else { continue }
        try Task.checkCancellation()
        if shown?.differ(from: row.shown, startingWith: PlacedID(name).id) == true {
          throw OppiError.otherRequest(named: name, row.request.id)
        }
        let mayHaveChanged = decided.count > 1 && !reply.isRefusal
        await send(reply, to: row, called: name, asShown: mayHaveChanged, in: context)
      } catch {
        results.append(DecisionResult(name: name, reply: reply, outcome: .failure(error)))
      }
    }
  }

  /// Replies to requests that were shown earlier, one after the other, to each only if it is still
  /// pending and unchanged; continues after a failure.
  ///
  /// `isRead` is whether the user has read all of each.
  package init(
    _ replies: [(reply: RequestReply, row: ListedRequest)],
    isRead: Bool = false,
    in context: Context
  ) async {
    for (reply, row) in replies {
      await send(
        reply,
        to: row,
        called: row.request.id,
        asShown: true,
        isRead: isRead,
        in: context
      )
    }
  }

  private mutating func send(
    _ reply: RequestReply,
    to row: ListedRequest,
    called name: String,
    asShown isShown: Bool,
    isRead: Bool = false,
    in context: Context
  ) async {
    let outcome = await context.services.reply(
      reply,
      to: row.request,
      of: row.id.serverID,
      asShown: isShown,
      isRead: isRead,
      within: context.timeout
    )
    results.append(DecisionResult(row: row, name: name, reply: reply, outcome: outcome))
  }

  /// One line per confirmed decision; the rest are errors, the first of which sets the exit status.
  package var report: Report { report { $0.error == nil } }

  /// One line per request, whatever its result; the first error sets the exit status.
  package var fullReport: Report { report { _ in true } }

  private func report(listing isListed: (DecisionResult) -> Bool) -> Report {
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

  package static let shape: JSONShape<Decisions> = [
    .list("decisions", "The result for each request", resultShape) { $0.results }
  ]

  private static let resultShape: JSONShape<DecisionResult> = [
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

private struct DecisionResult {
  /// `nil` if no request was found.
  var row: ListedRequest?
  /// As the user typed it.
  let name: String
  let reply: RequestReply
  let outcome: Result<DecisionOutcome, any Error>

  /// The decision of which a table and JSON name the scope; an answer applies once.
  var decision: PermissionDecision {
    if case .decision(let decision) = reply { decision } else { .allow }
  }

  /// Why the reply is not known to apply; `nil` if the server confirmed it.
  var error: OppiError? {
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

  var style: Style {
    guard error == nil else { return .error }
    return reply.isRefusal ? .warning : .success
  }

  var state: String {
    switch outcome {
    case .success(let outcome): outcome.commandState(of: reply)
    case .failure(let error as OppiError) where error.code == .requestGone:
      DecisionOutcome.tooLate.commandState(of: reply)
    case .failure: DecisionOutcome.failedState
    }
  }
}
