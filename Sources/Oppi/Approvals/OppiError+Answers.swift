// SPDX-License-Identifier: MIT

import OppiModel

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
