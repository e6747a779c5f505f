// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

enum ApprovalError: Error, Sendable, Equatable {
  case requestGone(id: String)
  /// No request has the name, which is not a whole id of an earlier request either.
  case noRequest(named: String)
  /// Another call is pending under the id of the call that was shown.
  case requestChanged(id: String)
  /// The prefix matches several requests; each candidate is a line that describes one.
  case ambiguousRequest(name: String, candidates: [String], isOnSeveralServers: Bool)
  /// Several questions are pending in the session; each candidate is a line that describes one.
  case severalQuestions(sessionID: String, candidates: [String])
  /// The decision was sent; its result is unknown.
  case decisionUnknown(id: String, PermissionDecision)
  /// The answer was sent; its result is unknown.
  case answerUnknown(id: String)
  /// An approval does not answer the question; the options are safe to show.
  case needsAnswer(id: String, kind: HumanRequest.Kind, options: [String])
  /// An answer does not decide the tool call.
  case needsDecision(id: String)
  /// A question has no approval for more than this time.
  case hasNoScope(id: String)
  case serverNotPaired
}

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

/// Answers to an agent's question that cannot be sent.
extension OppiError {
  /// More than one value for a question whose parts are unknown.
  static let severalAnswersToUnseen = OppiError(
    .badInput,
    "a question specified with --question takes one answer"
  )
  static let severalAnswers = OppiError(.badInput, "the question takes one answer")
  static let tooManyAnswers = OppiError(.badInput, "more answers than the question has parts")

  static func invalidAnswer(_ value: String, to question: ChatQuestion) -> OppiError {
    let labels = question.choices.map { $0.label.safeLine(limit: 80) }.joined(separator: ", ")
    return OppiError(
      .badInput,
      "'\(value.safeLine(limit: 60))' is not a \(labels.isEmpty ? "valid answer" : "choice")",
      hints: labels.isEmpty ? [] : ["choices: \(labels)"]
    )
  }

  static func notYesOrNo(_ question: UserQuestion) -> OppiError {
    OppiError(
      .badInput,
      "question \(question.id) is not a yes-or-no question",
      hints: [Self.showing(question.id)]
    )
  }

  /// A question that is no longer pending; without an id, the session's pending question.
  static func noPendingQuestion(_ id: String?, in session: ServerSession) -> OppiError {
    OppiError(
      .requestGone,
      id.map { "question \($0.safeLine(limit: 60)) is no longer pending in session \(session.id)" }
        ?? "session \(session.id) has no pending question",
      hints: ["some questions can be answered only by id; see: oppi help answer"],
      details: ["sessionId": .string(session.id)]
    )
  }

  init(_ problem: AnswerProblem, id: String) {
    let hints = [Self.showing(id)]
    switch problem {
    case .noChoice(let word, let options):
      self.init(
        .badInput,
        "'\(word.safeLine(limit: 60))' is not a choice",
        hints: Self.choices(options) + hints
      )
    case .ambiguous(let word, let options):
      self.init(
        .badInput,
        "'\(word.safeLine(limit: 60))' is ambiguous: it names several choices",
        hints: Self.choices(options) + hints
      )
    case .tooMany(limit: 1): self = .severalAnswers
    case .tooMany: self = .tooManyAnswers
    case .unknownPart(let part, let known):
      let names = known.map { $0.safeLine(limit: 60) }.joined(separator: ", ")
      self.init(
        .badInput,
        "the question has no part '\(part.safeLine(limit: 60))'",
        hints: (known.isEmpty ? [] : ["parts: \(names)"]) + hints
      )
    case .unknownKind(let kind):
      self.init(
        .badInput,
        "cannot answer a question of kind '\(kind.safeLine(limit: 40))'",
        hints: ["cancel it with: oppi deny \(id.asOperand)"]
      )
    }
  }

  static func choices(_ options: [String]) -> [String] {
    options.isEmpty ? [] : ["choices: \(options.prefix(20).joined(separator: ", "))"]
  }

  static func showing(_ id: String) -> String {
    "show the question with: oppi approvals show \(id.asOperand)"
  }
}
