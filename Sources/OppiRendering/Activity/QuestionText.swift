// SPDX-License-Identifier: MIT

package import OppiModel

package enum QuestionText {
  /// What is known about a question that was settled, but not by an answer from here.
  package static let settled =
    "no longer pending: answered elsewhere or timed out, which of the two is unknown"

  /// Another request has the id of the one that was shown; the new one is on the screen.
  package static let changed = "the request has changed; read it again"

  package struct Item: Sendable, Equatable {
    package var question: String
    package var options: [String]
    /// The text that an empty answer field shows.
    package var placeholder: String?
  }

  /// Returns the questions, safe to show.
  package static func items(of question: UserQuestion) -> [Item] {
    guard question.parts.isEmpty else {
      return question.parts.prefix(10).map { item($0.text, $0.options) }
    }
    var dialog = item(question.text, question.options)
    let placeholder = question.placeholder?.safeLine(limit: 80) ?? ""
    dialog.placeholder = placeholder.isEmpty ? nil : placeholder
    return [dialog]
  }

  private static func item(_ question: String, _ options: [UserQuestion.Option]) -> Item {
    let labels = options.prefix(20).map { $0.label.safeLine(limit: 80) }
    return Item(question: question.safeLine(), options: labels)
  }
}
