// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiTransport

/// The result of a reply to a request.
struct ReplyResult: Sendable {
  /// `nil` if no request was found.
  var row: ListedRequest?
  /// As the user typed it.
  var name: String
  let reply: RequestReply
  var outcome: Result<DecisionOutcome, any Error>
}

/// Replies to requests that a user names, or that were shown earlier.
extension IntentContext {
  /// Decides on pending requests one after the other; continues after a failure.
  ///
  /// Two names of one request decide on it once. An approval needs the request to be as a command
  /// has shown it, if one did. After the first decision the list is no longer new, so that it then
  /// also needs the request to be as listed.
  func decide(
    _ decision: PermissionDecision,
    on names: [String],
    in queue: ApprovalQueue
  ) async -> [ReplyResult] {
    let reply = RequestReply.decision(decision)
    var results: [ReplyResult] = []
    var decided: Set<ListedRequest.ID> = []
    let shown = reply.isRefusal ? nil : shownRequests.usable()
    for name in names {
      do {
        let row = try queue.request(named: name)
        guard decided.insert(row.id).inserted else { continue }
        try Task.checkCancellation()
        if shown?.differ(from: row.shown) == true {
          throw OppiError.requestChanged(id: row.request.id)
        }
        let mayHaveChanged = decided.count > 1 && !reply.isRefusal
        let outcome = await self.reply(
          reply,
          to: row.request,
          of: row.id.serverID,
          asShown: mayHaveChanged,
          within: timeout
        )
        results.append(ReplyResult(row: row, name: name, reply: reply, outcome: outcome))
      } catch {
        results.append(ReplyResult(row: nil, name: name, reply: reply, outcome: .failure(error)))
      }
    }
    return results
  }

  /// Replies to a request that was shown earlier, if it is still pending and unchanged.
  ///
  /// Without `asShown`, the request was listed just now, and is not compared. `isAutomatic` is
  /// whether an option or a setting replies, not the user.
  func reply(
    _ reply: RequestReply,
    to request: HumanRequest,
    of serverID: Fingerprint,
    asShown isShown: Bool = true,
    isAutomatic: Bool = false,
    within limit: Duration? = nil
  ) async -> Result<DecisionOutcome, any Error> {
    do {
      let server = try self.server(serverID)
      let api = try await connections.client(for: server).limited(to: limit)
      let flow = ReplyToRequest(
        try request.accepting(reply),
        to: request,
        on: server,
        api: isAutomatic ? api.onItsOwn : api
      )
      return .success(try await flow.send(asShown: isShown))
    } catch {
      return .failure(error)
    }
  }

  /// The server of a request or a session, as it is paired now.
  ///
  /// - Throws: ``OppiError`` if it is no longer paired; `FileError`.
  func server(_ id: Fingerprint) throws -> PairedServer {
    guard let server = try serverStore.load().servers.first(where: { $0.id == id }) else {
      throw OppiError(.notPaired, "the server of the request is no longer paired")
    }
    return server
  }
}

extension HumanRequest {
  /// The reply in the terms of the request: an approval of a confirmation is a yes, and a denial of
  /// any question cancels it.
  ///
  /// No option of a question counts as an approval, whatever its text.
  func accepting(_ reply: RequestReply) throws(OppiError) -> RequestReply {
    switch (self, reply) {
    case (.permission, .answer): throw .needsDecision(id: id)
    case (.question, .decision(.deny)): return .answer(.cancelled)
    case (.question(let question), .decision(.allow)):
      guard question.kind == .confirm else { throw .needsAnswer(question) }
      return try accepting(.answer(.confirmed(true)))
    case (.question, .decision): throw .hasNoScope(id: id)
    case (.permission, .decision), (.question, .answer):
      guard ApprovalPolicy.obstacle(to: reply, self, on: .command) == nil else {
        throw .requestNotWhole(id: id)
      }
      return reply
    }
  }
}
