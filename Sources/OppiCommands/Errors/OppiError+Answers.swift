// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel

/// Answers to an agent's question that cannot be sent.
extension OppiError {
  /// More than one value for a question whose parts are unknown.
  static let severalAnswersToUnseen = OppiError(
    .badInput,
    "a question specified with --question takes one answer"
  )
  /// More than one value for a question with one part.
  static let severalAnswers = OppiError(.badInput, "the question takes one answer")
  /// More values than the question has parts.
  static let tooManyAnswers = OppiError(.badInput, "more answers than the question has parts")

  /// A value that is not one of the choices of a question.
  static func invalidAnswer(_ value: String, to question: ChatQuestion) -> OppiError {
    let labels = question.choices.map { $0.label.safeLine(limit: 80) }.joined(separator: ", ")
    let text = question.text.safeLine(limit: 120)
    return OppiError(
      .badInput,
      "'\(value.safeLine(limit: 60))' is not a valid answer to: \(text)",
      hints: labels.isEmpty ? [] : ["choices: \(labels)"]
    )
  }

  /// A question that is no longer pending; without an id, the session's pending question.
  static func noPendingQuestion(_ id: String?, in session: ServerSession) -> OppiError {
    OppiError(
      .requestGone,
      id.map { "question \($0) is no longer pending in session \(session.id)" }
        ?? "session \(session.id) has no pending question",
      hints: ["some questions can be answered only by id; see: oppi help answer"],
      details: ["sessionId": .string(session.id)]
    )
  }
}
