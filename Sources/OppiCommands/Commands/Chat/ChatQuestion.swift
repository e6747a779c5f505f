// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// One question as it is put to the user: a dialog, or the next part of an `ask` with several.
struct ChatQuestion: Sendable, Equatable {
  /// A choice: what is shown, and what is sent.
  struct Choice: Sendable, Equatable {
    var label: String
    var note: String
  }

  let id: String
  let text: String
  let choices: [Choice]
  /// The part's id within an `ask`; `nil` for a dialog.
  let partID: String?
  let isLastPart: Bool
  /// What a typed answer may look like.
  let placeholder: String?
  /// The text that an answer begins with.
  let prefill: String?
  private let method: String
  private let takesText: Bool

  /// Reads a question; `nil` where every part has its answer already.
  init?(_ question: UserQuestion, answered: [String: String]) {
    id = question.id
    method = question.method
    placeholder = question.placeholder?.safeLine(limit: 120)
    prefill = question.prefill
    let body = question.body
    guard question.method == "ask" else {
      text = Self.whole(
        [body["title"], body["message"]].compactMap(\.string).joined(separator: ": "),
        else: question.method
      )
      choices = (body["options"].array ?? []).compactMap(\.string)
        .map { Choice(label: $0, note: "") }
      partID = nil
      isLastPart = true
      takesText = ["input", "editor"].contains(question.method)
      return
    }
    let parts = body["questions"].array ?? []
    let open = parts.filter { $0["id"].string.map { answered[$0] == nil } ?? false }
    guard let part = open.first else { return nil }
    text = Self.whole(part["question"].string ?? "", else: question.method)
    choices = (part["options"].array ?? []).map { option in
      // The server finds an answer by a choice's whole label.
      Choice(
        label: option["label"].string ?? option["value"].string ?? "",
        note: (option["description"].string ?? "").safeLine(limit: 80)
      )
    }
    partID = part["id"].string
    isLastPart = open.count == 1
    takesText = body["allowCustom"].bool ?? true
  }

  /// The answer that a choice's number gives, or yes and no.
  private func answer(forWord word: String) -> QuestionAnswer? {
    if method == "confirm" {
      let word = word.lowercased()
      if ["y", "yes"].contains(word) { return .confirmed(true) }
      return ["n", "no"].contains(word) ? .confirmed(false) : nil
    }
    guard let number = Int(word), choices.indices.contains(number - 1) else { return nil }
    return .value(choices[number - 1].label)
  }

  /// The answer that a typed line gives; `nil` where the question takes no text.
  func answer(forText text: String) -> QuestionAnswer? {
    answer(forWord: text.trimmed) ?? (takesText ? .value(text) : nil)
  }

  /// The question with its choices and how it is answered.
  func lines(width: Int) -> [StyledText] {
    var lines = TextBlock.folded("? \(text)", width: max(1, width)).map { StyledText($0, .warning) }
    for (index, choice) in choices.enumerated() {
      var line = StyledText("  \(index + 1)  ", .code)
      line.append(choice.label.safeLine(limit: 120))
      if !choice.note.isEmpty { line.append("  \(choice.note)", .dim) }
      lines.append(line)
    }
    if let placeholder { lines.append(StyledText("  e.g. \(placeholder)", .dim)) }
    lines.append(StyledText("  \(keys)", .dim))
    return lines
  }

  private var keys: String {
    var keys: [String] = []
    if method == "confirm" { keys.append("type y or n") }
    if !choices.isEmpty { keys.append("type a number") }
    if takesText { keys.append("or an answer") }
    keys.append("and press Enter")
    return (keys + ["Esc leaves it unanswered"]).joined(separator: ", ")
  }

  /// A question as long as it is, up to what anybody asks.
  private static func whole(_ text: String, else method: String) -> String {
    text.isEmpty ? method.safeLine(limit: 40) : text.safeLine(limit: 4000)
  }
}

extension String {
  /// The text without the spaces around it.
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
