// SPDX-License-Identifier: MIT

import OppiModel

/// The answers to a question, by choices and by typed texts.
extension ChatQuestion {
  /// The answer for choices given by index.
  func answer(choosing places: some Collection<Int>) -> QuestionAnswer? {
    let chosen = places.sorted().filter { choices.indices.contains($0) }
    guard let first = chosen.first else { return nil }
    if isConfirmation {
      // Newer servers get the same refusal for every kind of dialog.
      return first == 0 ? .confirmed(true) : takesValues ? .cancelled : .confirmed(false)
    }
    guard let partID else { return .value(choices[first].value) }
    guard !takesValues else { return .choices([partID: values(of: chosen)]) }
    guard chosen.count > 1 else { return .value(exactly(first)) }
    // The server keeps only the first element of a list, but passes on a joined text.
    return .value(chosen.map { choices[$0].label }.joined(separator: ", "))
  }

  private func values(of chosen: [Int], and texts: [String] = []) -> PartAnswer {
    let values = Set(chosen.map { choices[$0].value }).sorted() + texts
    return takesSeveral ? .list(values) : .text(values.joined(separator: ", "))
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
    if takesValues, !isConfirmation { return choices(calledExactly: text, words.map(String.init)) }
    let numbers = words.compactMap { Int($0) }.filter { $0 >= 1 && $0 <= choices.count }
    if numbers.count == words.count, takesSeveral || numbers.count == 1 {
      return Array(Set(numbers.map { $0 - 1 })).sorted()
    }
    let wanted = text.trimmed.lowercased()
    if isConfirmation { return wanted == "y" || wanted == "yes" ? [0] : wanted.isNo ? [1] : [] }
    if partID != nil { return takenFor(wanted).map { [$0] } ?? [] }
    return choices.firstIndex { $0.label.lowercased() == wanted }.map { [$0] } ?? []
  }

  /// The choices whose numbers, values or labels are typed; without regard to case if that is
  /// unambiguous.
  private func choices(calledExactly text: String, _ words: [String]) -> [Int] {
    let names = OptionNames(choices.map { UserQuestion.Option(value: $0.value, label: $0.label) })
    let text = text.trimmed
    switch names.match(text) {
    case .one(let place): return [place]
    case .several: return []
    case .none: break
    }
    if takesSeveral {
      for parts in [words, text.split(separator: ",").map { String($0).trimmed }] {
        let places = parts.compactMap { part -> Int? in
          if case .one(let place) = names.match(part) { place } else { nil }
        }
        if !places.isEmpty, places.count == parts.count { return Array(Set(places)).sorted() }
      }
    }
    let wanted = text.lowercased()
    let similar = choices.indices.filter { choices[$0].label.lowercased() == wanted }
    return similar.count == 1 ? similar : []
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
    let places = marked.sorted().filter(choices.indices.contains)
    if takesValues, let partID { return .choices([partID: values(of: places, and: [text])]) }
    return .value((places.map { choices[$0].label } + [text]).joined(separator: ", "))
  }

  /// Whether a text consists only of numbers.
  static func isNumbers(_ text: String) -> Bool {
    let words = text.split { " ,".contains($0) }
    return !words.isEmpty && words.allSatisfy { Int($0) != nil }
  }

  // MARK: - Parts

  /// The answer to this part; `nil` for a dialog and for a refusal.
  func partAnswer(in answer: QuestionAnswer) -> PartAnswer? {
    guard let partID else { return nil }
    switch answer {
    case .value(let text): return .text(text)
    case .choices(let answers): return answers[partID]
    case .confirmed, .answers, .cancelled: return nil
    }
  }

  /// The answer to a question by the answers to its parts, as a server expects it.
  static func combined(
    _ answers: [String: PartAnswer],
    for requests: Dialect.Requests
  ) -> QuestionAnswer {
    guard !requests.takesOptionValues else { return .choices(answers) }
    return .answers(
      answers.mapValues { answer in
        switch answer {
        case .text(let text): text
        case .list(let texts): texts.joined(separator: ", ")
        }
      }
    )
  }
}

extension String {
  fileprivate var isNo: Bool { self == "n" || self == "no" }
}
