// SPDX-License-Identifier: MIT

package import OppiModel

/// What a question or a dialog asks, and what may be chosen, as lines.
package enum QuestionText {
  /// One question of an `ask`, or a dialog.
  package struct Item: Sendable, Equatable {
    package var question: String
    package var options: [String]
    /// What a field for an answer shows as long as it is empty.
    package var placeholder: String?
  }

  /// Returns what is asked, safe to show.
  package static func items(of question: UserQuestion) -> [Item] {
    guard let questions = question.body["questions"].array else {
      let texts = [question.body["title"], question.body["message"]].compactMap(\.string)
      var item = item(texts.joined(separator: ": "), question.body["options"])
      let placeholder = question.placeholder?.safeLine(limit: 80) ?? ""
      item.placeholder = placeholder.isEmpty ? nil : placeholder
      return [item]
    }
    return questions.prefix(10).map { item($0["question"].string ?? "", $0["options"]) }
  }

  private static func item(_ question: String, _ options: JSONValue) -> Item {
    let labels = (options.array ?? []).prefix(20).compactMap { option in
      (option.string ?? option["label"].string ?? option["value"].string)?.safeLine(limit: 80)
    }
    return Item(question: question.safeLine(), options: labels)
  }
}
