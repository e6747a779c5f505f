// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A question as shown to the user: a dialog, or the next part of an `ask`.
struct ChatQuestion: Sendable, Equatable {
  struct Choice: Sendable, Equatable {
    /// As the server sent it.
    var label: String
    /// The description, safe to show.
    var note = ""
  }

  let id: String
  /// The question on one line, safe to show.
  let text: String
  let choices: [Choice]
  let takesSeveral: Bool
  let takesText: Bool
  /// The part's id within an `ask`; `nil` for a dialog.
  let partID: String?
  let part: (number: Int, count: Int)
  /// An example of a typed answer.
  let placeholder: String?
  /// The initial text of an answer.
  let prefill: String?
  private let isConfirmation: Bool

  var isLastPart: Bool { part.number == part.count }

  static func == (first: Self, second: Self) -> Bool {
    first.id == second.id && first.partID == second.partID && first.text == second.text
      && first.choices == second.choices
  }

  /// Reads the next part without an answer; `nil` if all parts have one.
  init?(_ question: UserQuestion, answered: [String: String]) {
    id = question.id
    placeholder = question.placeholder?.safeLine(limit: 120)
    prefill = question.prefill
    let body = question.body
    isConfirmation = question.method == "confirm"
    guard question.method == "ask" else {
      text = Self.whole(
        [body["title"], body["message"]].compactMap(\.string).joined(separator: ": "),
        else: question.method
      )
      let options = (body["options"].array ?? []).compactMap(\.string)
      choices = (isConfirmation ? ["yes", "no"] : options).map { Choice(label: $0) }
      partID = nil
      part = (1, 1)
      takesSeveral = false
      takesText = ["input", "editor"].contains(question.method)
      return
    }
    let parts = (body["questions"].array ?? []).filter { $0["id"].string != nil }
    let open = parts.filter { $0["id"].string.map { answered[$0] == nil } ?? false }
    guard let first = open.first else { return nil }
    text = Self.whole(first["question"].string ?? "", else: question.method)
    choices = (first["options"].array ?? []).map { option in
      Choice(
        label: option["label"].string ?? option["value"].string ?? "",
        note: (option["description"].string ?? "").safeLine(limit: 1000)
      )
    }
    partID = first["id"].string
    part = (parts.count - open.count + 1, parts.count)
    takesSeveral = first["multiSelect"].bool ?? false
    takesText = body["allowCustom"].bool ?? true
  }

  // MARK: - Answers

  /// The answer for choices given by index.
  func answer(choosing places: some Collection<Int>) -> QuestionAnswer? {
    let chosen = places.sorted().filter { choices.indices.contains($0) }
    guard let first = chosen.first else { return nil }
    if isConfirmation { return .confirmed(first == 0) }
    guard partID != nil else { return .value(choices[first].label) }
    guard chosen.count > 1 else { return .value(exactly(first)) }
    // The server keeps only the first element of a list, but passes on a joined text.
    return .value(chosen.map { choices[$0].label }.joined(separator: ", "))
  }

  /// A text that the server resolves to exactly this choice: it picks the first label that contains
  /// the text, and passes other texts to the agent.
  private func exactly(_ place: Int) -> String {
    let label = choices[place].label
    return takenFor(label) == place ? label : "\"\(label)\""
  }

  /// The choice to which the server resolves a text.
  private func takenFor(_ text: String) -> Int? {
    let text = text.lowercased()
    return choices.firstIndex { $0.label.lowercased().contains(text) }
  }

  /// The choices that a typed text names: by numbers or by label, as the server resolves it.
  func choices(named text: String) -> [Int] {
    let words = text.split { " ,".contains($0) }
    guard !words.isEmpty else { return [] }
    let numbers = words.compactMap { Int($0) }.filter { $0 >= 1 && $0 <= choices.count }
    if numbers.count == words.count, takesSeveral || numbers.count == 1 {
      return Array(Set(numbers.map { $0 - 1 })).sorted()
    }
    let wanted = text.trimmed.lowercased()
    if isConfirmation { return wanted == "y" || wanted == "yes" ? [0] : wanted.isNo ? [1] : [] }
    if partID != nil { return takenFor(wanted).map { [$0] } ?? [] }
    return choices.firstIndex { $0.label.lowercased() == wanted }.map { [$0] } ?? []
  }

  /// The answer of a typed text and the marked choices; `nil` if the question does not accept it.
  func answer(forText text: String, beside marked: Set<Int> = []) -> QuestionAnswer? {
    let named = choices(named: text)
    if !named.isEmpty { return answer(choosing: marked.union(named)) }
    // The number of a missing choice is a mistake, not a text for the agent.
    if !choices.isEmpty, Self.isNumbers(text) { return nil }
    let isEmpty = text.allSatisfy(\.isWhitespace)
    if isEmpty, let answer = answer(choosing: marked) { return answer }
    // The server would resolve an empty text to the first choice.
    guard takesText, !isEmpty || choices.isEmpty && partID == nil else { return nil }
    let labels = marked.sorted().filter(choices.indices.contains).map { choices[$0].label }
    return .value((labels + [text]).joined(separator: ", "))
  }

  /// Whether a text consists only of numbers.
  static func isNumbers(_ text: String) -> Bool {
    let words = text.split { " ,".contains($0) }
    return !words.isEmpty && words.allSatisfy { Int($0) != nil }
  }

  // MARK: - Display

  /// The question with its numbered choices.
  func lines(width: Int) -> [StyledText] {
    var lines = heading(width: width)
    for (index, choice) in choices.enumerated() {
      lines.append(StyledText("  \(index + 1)  ", .code).with(Self.line(of: choice)))
    }
    if let placeholder { lines.append(StyledText("  e.g. \(placeholder)", .dim)) }
    return lines
  }

  func heading(width: Int) -> [StyledText] {
    let place = part.count > 1 ? " (\(part.number) of \(part.count))" : ""
    return TextBlock.folded("? \(text)\(place)", width: max(1, width))
      .map { StyledText($0, .warning) }
  }

  static func line(of choice: Choice) -> StyledText {
    var line = StyledText(choice.label.safeLine(limit: 2000))
    if !choice.note.isEmpty { line.append("  \(choice.note)", .dim) }
    return line
  }

  /// The full question, up to 64 KiB.
  private static func whole(_ text: String, else method: String) -> String {
    text.isEmpty ? method.safeLine(limit: 40) : text.safeLine(limit: 64 << 10)
  }
}

extension String {
  fileprivate var isNo: Bool { self == "n" || self == "no" }
}
