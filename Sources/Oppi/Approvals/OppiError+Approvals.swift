// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

extension OppiError {
  init(_ error: ApprovalError) {
    switch error {
    case .requestGone(let id):
      self.init(
        .requestGone,
        "request \(id.safeLine(limit: 40)) is no longer pending",
        hints: [Self.pending, Self.decisions],
        details: ["requestId": .string(id)]
      )
    case .noRequest(let name):
      self.init(
        .noSuchRequest,
        "no request '\(name.safeLine(limit: 60))'",
        hints: [Self.pending, Self.decisions]
      )
    case .requestChanged(let id):
      self.init(
        .requestGone,
        "request \(id.safeLine(limit: 40)) is now for a different call; nothing was decided",
        hints: [Self.pending],
        details: ["requestId": .string(id)]
      )
    case .ambiguousRequest(let name, let candidates, let isOnSeveralServers):
      self.init(
        .ambiguousName,
        "'\(name)' is ambiguous: it matches several requests",
        hints: candidates + (isOnSeveralServers ? ["choose a server with --server NAME"] : [])
      )
    case .decisionUnknown(let id, let decision):
      self.init(
        .outcomeUnknown,
        "could not confirm that request \(id) was \(decision.past)",
        hints: [Self.pending, Self.decisions],
        details: ["requestId": .string(id)]
      )
    case .answerUnknown(let id):
      self.init(
        .outcomeUnknown,
        "could not confirm that question \(id.safeLine(limit: 40)) was answered; not sent again",
        hints: [Self.pending],
        details: ["requestId": .string(id)]
      )
    case .needsAnswer(let id, let kind, let options):
      self.init(
        .badInput,
        "request \(id) is a question of kind \(kind.word); it cannot be approved",
        hints: ["answer with: oppi answer \(id.asOperand) VALUE…"] + Self.choices(options)
          + ["cancel with: oppi deny \(id.asOperand)"],
        details: ["requestId": .string(id)]
      )
    case .needsDecision(let id):
      self.init(
        .badInput,
        "request \(id) is a tool call; it takes no answer",
        hints: ["decide with: oppi approve \(id.asOperand), or: oppi deny \(id.asOperand)"],
        details: ["requestId": .string(id)]
      )
    case .hasNoScope(let id):
      self.init(
        .badInput,
        "request \(id) is a question; --scope session and --scope global do not apply to it",
        hints: [Self.showing(id)],
        details: ["requestId": .string(id)]
      )
    case .severalQuestions(let sessionID, let candidates):
      self.init(
        .ambiguousName,
        "session \(sessionID) has several pending questions",
        hints: candidates + ["answer one with: oppi answer ID VALUE…"],
        details: ["sessionId": .string(sessionID)]
      )
    case .serverNotPaired: self.init(.notPaired, "the server of the request is no longer paired")
    }
  }

  private static let pending = "list pending approvals with: oppi approvals"
  private static let decisions = "list past decisions with: oppi approvals log"
}
