// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiTransport

/// Replies to requests on every surface without a stream of its own.
extension IntentContext {
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
