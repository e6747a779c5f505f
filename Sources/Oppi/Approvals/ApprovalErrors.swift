// SPDX-License-Identifier: MIT

import OppiModel

extension OppiError {
  private static func about(
    _ id: String,
    _ code: Code,
    _ message: String,
    _ hints: [String]
  ) -> OppiError {
    OppiError(code, message, hints: hints, details: ["requestId": .string(id)])
  }

  static func requestGone(id: String) -> OppiError {
    let message = "request \(id.safeLine(limit: 40)) is no longer pending"
    return about(id, .requestGone, message, [pending, decisions])
  }

  /// A part of the request was too long to keep; it can only be denied.
  static func requestNotWhole(id: String) -> OppiError {
    OppiError(
      .badInput,
      "cannot approve request \(id): it is too long to be shown in full",
      hints: ["deny it: oppi deny \(id)"]
    )
  }

  /// No request has the name, which is not a whole id of an earlier request either.
  static func noRequest(named name: String) -> OppiError {
    OppiError(
      .noSuchRequest,
      "no request '\(name.safeLine(limit: 60))'",
      hints: [pending, decisions]
    )
  }

  /// Another request is pending under the id of the one that was shown.
  static func requestChanged(id: String) -> OppiError {
    let name = id.safeLine(limit: 40)
    let message = "request \(name) has changed since it was shown; nothing was sent"
    return about(id, .requestGone, message, [showing(id)])
  }

  /// The prefix matches several requests; each candidate is a line that describes one.
  static func ambiguousRequest(name: String, candidates: [String], isOnSeveralServers: Bool)
    -> OppiError
  {
    OppiError(
      .ambiguousName,
      "'\(name)' is ambiguous: it matches several requests",
      hints: candidates + (isOnSeveralServers ? ["choose a server with --server NAME"] : [])
    )
  }

  /// Several questions are pending in the session; each candidate is a line that describes one.
  static func severalQuestions(sessionID: String, candidates: [String]) -> OppiError {
    OppiError(
      .ambiguousName,
      "session \(sessionID) has several pending questions",
      hints: candidates + ["answer one with: oppi answer ID VALUE…"],
      details: ["sessionId": .string(sessionID)]
    )
  }

  /// The decision was sent; its result is unknown.
  static func decisionUnknown(id: String, _ decision: PermissionDecision) -> OppiError {
    let message = "could not confirm that request \(id) was \(decision.past)"
    return about(id, .outcomeUnknown, message, [pending, decisions])
  }

  /// The answer was sent; its result is unknown.
  static func answerUnknown(id: String) -> OppiError {
    let name = id.safeLine(limit: 40)
    let message = "could not confirm that question \(name) was answered; not sent again"
    return about(id, .outcomeUnknown, message, [pending])
  }

  /// An approval does not answer the question; the options are safe to show.
  static func needsAnswer(id: String, kind: HumanRequest.Kind, options: [String]) -> OppiError {
    about(
      id,
      .badInput,
      "request \(id) is a question of kind \(kind.word); it cannot be approved",
      ["answer with: oppi answer \(id.asOperand) VALUE…"] + choices(options)
        + ["cancel with: oppi deny \(id.asOperand)"]
    )
  }

  /// An answer does not decide the tool call.
  static func needsDecision(id: String) -> OppiError {
    let hint = "decide with: oppi approve \(id.asOperand), or: oppi deny \(id.asOperand)"
    return about(id, .badInput, "request \(id) is a tool call; it takes no answer", [hint])
  }

  /// A question has no approval for more than this time.
  static func hasNoScope(id: String) -> OppiError {
    let message = "is a question; --scope session and --scope global do not apply to it"
    return about(id, .badInput, "request \(id) \(message)", [showing(id)])
  }

  static let serverNotPaired = OppiError(
    .notPaired,
    "the server of the request is no longer paired"
  )

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

  static func invalidAnswer(_ value: String, to question: ShownQuestion) -> OppiError {
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

  /// The session was named, and its question is not the one that was shown.
  static func otherQuestion(_ id: String, in session: ServerSession) -> OppiError {
    OppiError(
      .requestGone,
      "session \(session.id) now asks another question than the one that was shown; not answered",
      hints: ["show the question with: oppi answer \(session.id.asOperand)"],
      details: ["requestId": .string(id), "sessionId": .string(session.id)]
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
    "show the request with: oppi approvals show \(id.asOperand)"
  }
}
