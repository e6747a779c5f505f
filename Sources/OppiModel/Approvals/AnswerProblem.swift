// SPDX-License-Identifier: MIT

/// Why words are not an answer to a question.
package enum AnswerProblem: Error, Sendable, Equatable {
  /// The word is none of the options.
  case noChoice(String, options: [String])
  /// The word names several different options.
  case ambiguous(String, options: [String])
  /// More words than the question takes.
  case tooMany(limit: Int)
  /// The question has no part with the id.
  case unknownPart(String, known: [String])
  /// The question is of a kind that this program cannot answer.
  case unknownKind(String)
}
