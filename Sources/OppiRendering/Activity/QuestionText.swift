// SPDX-License-Identifier: MIT

package import OppiModel

package enum QuestionText {
  package struct Item: Sendable, Equatable {
    package var question: String
    package var options: [String]
    /// The text that an empty answer field shows.
    package var placeholder: String?
  }

  /// Returns the questions, safe to show.
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
