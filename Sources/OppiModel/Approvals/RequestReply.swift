// SPDX-License-Identifier: MIT

/// What a user replies to a request.
package enum RequestReply: Sendable, Hashable {
  /// Approval or denial.
  case decision(PermissionDecision)
  case answer(QuestionAnswer)

  /// A reply of the same kind without the text of an answer.
  package var withoutText: RequestReply {
    switch self {
    case .decision, .answer(.cancelled): self
    case .answer: .answer(.choices([:]))
    }
  }

  /// Whether the agent may not do what it asked for.
  package var isRefusal: Bool {
    switch self {
    case .decision(let decision): decision == .deny
    case .answer(let answer): answer.isRefusal
    }
  }
}

extension RequestReply {
  package enum Effect: String, Sendable {
    case allow
    case deny
    case answer
  }

  /// What the reply does to a request.
  ///
  /// No option of a question counts as an approval, whatever its text.
  package func effect(on request: HumanRequest) -> Effect {
    switch self {
    case .decision(.deny): .deny
    case .decision, .answer(.confirmed(true)): .allow
    case .answer(let answer):
      request.question?.isRefused(by: answer) ?? answer.isRefusal ? .deny : .answer
    }
  }
}

extension HumanRequest {
  /// Why a request does not accept a reply.
  package enum Mismatch: Error, Sendable, Equatable {
    /// The question is not answered by an approval.
    case needsAnswer
    /// The tool call is not decided by an answer.
    case needsDecision
    /// A question has no approval for more than this time.
    case hasNoScope
    /// A part of the request is missing here, so that it can only be denied.
    case incomplete
  }

  /// The reply in the terms of the request: an approval of a confirmation is a yes, and a denial of
  /// any question cancels it.
  ///
  /// No option of a question counts as an approval, whatever its text.
  package func accepting(_ reply: RequestReply) throws(Mismatch) -> RequestReply {
    switch (self, reply) {
    case (.permission(let request), .decision(let decision)):
      guard ApprovalPolicy.obstacle(to: decision, request) == nil else { throw .incomplete }
      return reply
    case (.permission, .answer): throw .needsDecision
    case (.question, .decision(.deny)): return .answer(.cancelled)
    case (.question(let question), .decision(.allow)):
      guard question.kind == .confirm else { throw .needsAnswer }
      return try accepting(.answer(.confirmed(true)))
    case (.question, .decision(.allowForSession)), (.question, .decision(.allowEverywhere)):
      throw .hasNoScope
    case (.question(let question), .answer(let answer)):
      guard ApprovalPolicy.obstacle(to: answer, question) == nil else { throw .incomplete }
      return reply
    }
  }
}
