// SPDX-License-Identifier: MIT

import OppiModel

/// The answers to the questions of a chat, until all parts of a question have one.
struct ChatAnswers: Sendable {
  /// The number of questions to remember that were answered here.
  private static let ownLimit = 100

  /// What asks a human on the session's server.
  private let requests: Dialect.Requests
  /// The answers to earlier parts, by question id and part id, and the question as it was shown.
  private var parts: [String: (source: UserQuestion, answers: [String: PartAnswer])] = [:]
  /// The last questions that were answered here.
  private var own: [String] = []

  init(for requests: Dialect.Requests) {
    self.requests = requests
  }

  /// The question, or its next part without an answer; `nil` if all parts have one.
  func next(of question: UserQuestion) -> ChatQuestion? {
    ChatQuestion(question, answered: answers(to: question), for: requests)
  }

  /// The answers to the parts of a question; what was answered of another one with its id is void.
  private func answers(to question: UserQuestion) -> [String: PartAnswer] {
    guard let known = parts[question.id], known.source.asksSame(as: question) else { return [:] }
    return known.answers
  }

  /// Records an answer; returns the answer to the whole question, or `nil` before its last part.
  mutating func take(_ answer: QuestionAnswer, to question: ChatQuestion) -> QuestionAnswer? {
    var whole = answer
    if let part = question.partID, let text = question.partAnswer(in: answer) {
      let answers = answers(to: question.source).merging([part: text]) { $1 }
      parts[question.id] = (question.source, answers)
      guard question.isLastPart else { return nil }
      whole = ChatQuestion.combined(answers, for: requests)
    }
    parts[question.id] = nil
    own = own.suffix(Self.ownLimit - 1) + [question.id]
    return whole
  }

  /// Whether a question was answered here, so that its end is no news.
  func isOwn(_ questionID: String) -> Bool { own.contains(questionID) }

  /// Forgets the parts of questions that are no longer pending.
  mutating func keep(_ pending: Set<String>) {
    parts = parts.filter { pending.contains($0.key) }
  }
}
