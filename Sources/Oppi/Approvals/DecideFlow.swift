// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiTransport

/// Replies to requests that a user names, or that were shown earlier.
struct DecideRequests: Sendable {
  struct Result: Sendable {
    /// `nil` if no request was found.
    var row: ListedRequest?
    /// As the user typed it.
    var name: String
    let reply: RequestReply
    var outcome: Swift.Result<DecisionOutcome, any Error>
  }

  private let reply: RequestReply
  /// Whether an option or a setting replies, not the user.
  private let isAutomatic: Bool
  private let context: IntentContext

  init(_ reply: RequestReply, isAutomatic: Bool = false, in context: IntentContext) {
    (self.reply, self.isAutomatic, self.context) = (reply, isAutomatic, context)
  }

  /// Replies to pending requests one after the other; continues after a failure.
  ///
  /// Two names of one request reply to it once. A positive reply needs the request to be as a command
  /// has shown it, if one did. After the first reply the list is no longer new, so that it then also
  /// needs the request to be as listed.
  func decide(on names: [String], in queue: ApprovalQueue) async -> [Result] {
    var results: [Result] = []
    var decided: Set<ListedRequest.ID> = []
    let shown = reply.isRefusal ? nil : context.shownRequests.usable()
    for name in names {
      do {
        let row = try queue.request(named: name)
        guard decided.insert(row.id).inserted else { continue }
        try Task.checkCancellation()
        if shown?.differ(from: row.shown) == true {
          throw OppiError.requestChanged(id: row.request.id)
        }
        let mayHaveChanged = decided.count > 1 && !reply.isRefusal
        let outcome = await send(
          to: row.request,
          of: row.id.serverID,
          asShown: mayHaveChanged,
          within: context.timeout
        )
        results.append(Result(row: row, name: name, reply: reply, outcome: outcome))
      } catch {
        results.append(Result(row: nil, name: name, reply: reply, outcome: .failure(error)))
      }
    }
    return results
  }

  /// Replies to a request that was listed earlier, as ``decide(asShown:of:within:)`` does.
  func decide(asShown row: ListedRequest) async -> Result {
    let outcome = await decide(asShown: row.request, of: row.id.serverID, within: context.timeout)
    return Result(row: row, name: row.request.id, reply: reply, outcome: outcome)
  }

  /// Replies to a request that was shown earlier, if it is still pending and unchanged.
  func decide(
    asShown request: HumanRequest,
    of serverID: Fingerprint,
    within limit: Duration? = nil
  ) async -> Swift.Result<DecisionOutcome, any Error> {
    await send(to: request, of: serverID, asShown: true, within: limit)
  }

  private func send(
    to request: HumanRequest,
    of serverID: Fingerprint,
    asShown isShown: Bool,
    within limit: Duration?
  ) async -> Swift.Result<DecisionOutcome, any Error> {
    do {
      let server = try context.server(serverID)
      let api = try await context.connections.client(for: server).limited(to: limit)
      let flow = ReplyToRequest(
        try accepted(by: request),
        on: server,
        api: isAutomatic ? api.onItsOwn : api
      )
      return .success(try await flow.send(to: request, asShown: isShown))
    } catch {
      return .failure(error)
    }
  }

  /// The reply in the terms of a request.
  private func accepted(by request: HumanRequest) throws -> RequestReply {
    do throws(HumanRequest.Mismatch) {
      return try request.accepting(reply)
    } catch {
      switch error {
      case .needsAnswer:
        let options = request.question.map { OptionNames($0.options).shown } ?? []
        throw OppiError.needsAnswer(id: request.id, kind: request.kind, options: options)
      case .needsDecision: throw OppiError.needsDecision(id: request.id)
      case .hasNoScope: throw OppiError.hasNoScope(id: request.id)
      case .incomplete: throw OppiError.requestNotWhole(id: request.id)
      }
    }
  }
}

extension IntentContext {
  /// The server of a request or a session, as it is paired now.
  ///
  /// - Throws: ``OppiError`` if it is no longer paired; `FileError`.
  func server(_ id: Fingerprint) throws -> PairedServer {
    guard let server = try serverStore.load().servers.first(where: { $0.id == id }) else {
      throw OppiError.serverNotPaired
    }
    return server
  }
}
