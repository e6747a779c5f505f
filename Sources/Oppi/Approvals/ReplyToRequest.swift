// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Sends a user's reply to a request of either kind, and reports the result.
struct ReplyToRequest: Sendable {
  private let reply: RequestReply
  private let api: IntentAPIClient

  init(_ reply: RequestReply, api: IntentAPIClient) {
    (self.reply, self.api) = (reply, api)
  }

  /// Replies to a pending request of a server.
  ///
  /// - Throws: ``ApprovalError`` if the request does not accept the reply; `IntentError` if it is
  ///   still pending and the server is not processing the reply, or the server cannot be reached.
  func send(
    to request: HumanRequest,
    on server: PairedServer
  ) async throws -> DecisionOutcome {
    switch (request, try accepted(by: request)) {
    case (.permission(let request), .decision(let decision)):
      return try await DecideRequest(api: api).decide(decision, request, on: server)
    case (.question(let question), .answer(let answer)):
      let sessionID = try session(of: request, on: server)
      return try await AnswerDialog(api: api).answer(answer, to: question, of: sessionID)
    default: throw ApprovalError.needsDecision(id: request.id)
    }
  }

  /// Replies to a request that was shown earlier, if it is still pending and unchanged.
  ///
  /// - Throws: As ``send(to:on:)``, and if the pending requests cannot be listed.
  func send(
    asShown request: HumanRequest,
    on server: PairedServer
  ) async throws -> DecisionOutcome {
    switch (request, try accepted(by: request)) {
    case (.permission(let request), .decision(let decision)):
      return try await DecideRequest(api: api).decide(decision, asShown: request, on: server)
    case (.question(let question), .answer(let answer)):
      let sessionID = try session(of: request, on: server)
      return try await AnswerDialog(api: api).answer(answer, asShown: question, of: sessionID)
    default: throw ApprovalError.needsDecision(id: request.id)
    }
  }

  private func accepted(by request: HumanRequest) throws -> RequestReply {
    do throws(HumanRequest.Mismatch) {
      return try request.accepting(reply)
    } catch {
      switch error {
      case .needsAnswer:
        let options = request.question.map { OptionNames($0.options).shown } ?? []
        throw ApprovalError.needsAnswer(id: request.id, kind: request.kind, options: options)
      case .needsDecision: throw ApprovalError.needsDecision(id: request.id)
      case .hasNoScope: throw ApprovalError.hasNoScope(id: request.id)
      case .incomplete: throw IntentError.requestNotWhole(id: request.id)
      }
    }
  }

  private func session(
    of request: HumanRequest,
    on server: PairedServer
  ) throws(IntentError) -> String {
    guard let id = request.sessionID, WireID.isValid(id) else {
      throw .malformedAnswer(server: server.name, what: "the session of request \(request.id)")
    }
    return id
  }
}
