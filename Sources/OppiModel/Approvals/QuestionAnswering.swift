// SPDX-License-Identifier: MIT

/// Answers given by words, for servers that pass on the values of choices unchanged.
extension UserQuestion {
  /// The answer of the given words; `nil` without words.
  ///
  /// Each word answers a part of an `ask`, in order; an empty word skips its part. With the id of a
  /// part, all words are choices of that part.
  package func answer(
    by words: [String],
    toPart partID: String? = nil
  ) throws(AnswerProblem) -> QuestionAnswer? {
    guard let word = words.first else { return nil }
    if let partID, kind != .ask { throw .unknownPart(partID, known: []) }
    if kind != .ask, words.count > 1 { throw .tooMany(limit: 1) }
    switch kind {
    case .confirm:
      switch word.lowercased() {
      case "y", "yes": return .confirmed(true)
      case "n", "no": return .cancelled
      default: throw .noChoice(word, options: ["yes", "no"])
      }
    case .select: return .value(try value(of: word, among: options))
    case .input, .editor: return .value(word)
    case .ask: return .choices(try choices(by: words, toPart: partID))
    case .permission, .other: throw .unknownKind(method)
    }
  }

  private func choices(
    by words: [String],
    toPart partID: String?
  ) throws(AnswerProblem) -> [String: PartAnswer] {
    if let partID {
      guard let part = parts.first(where: { $0.id == partID }) else {
        throw .unknownPart(partID, known: parts.map(\.id))
      }
      if !part.takesSeveral, words.count > 1 { throw .tooMany(limit: 1) }
      return [partID: try answer(to: part, by: words)]
    }
    guard words.count <= parts.count else { throw .tooMany(limit: parts.count) }
    var answers: [String: PartAnswer] = [:]
    for (word, part) in zip(words, parts) where !word.isEmpty {
      let isWhole = !part.takesSeveral || OptionNames(part.options).match(word) != .none
      let names = isWhole ? [word] : Self.names(in: word)
      answers[part.id] = try answer(to: part, by: names, in: word)
    }
    return answers
  }

  /// The names of several choices in a word, separated by commas.
  private static func names(in word: String) -> [String] {
    let names = word.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
    return names.isEmpty ? [word] : names
  }

  /// The answer to a part: choices, or the whole word if none of its names is one.
  private func answer(
    to part: Part,
    by names: [String],
    in word: String? = nil
  ) throws(AnswerProblem) -> PartAnswer {
    let matches = names.map(OptionNames(part.options).match)
    let isOwnText =
      takesOwnText && matches.allSatisfy { $0 == .none }
      && (part.options.isEmpty || !names.allSatisfy(\.isNumber))
    if isOwnText {
      let texts = word.map { [$0] } ?? names
      return part.takesSeveral ? .list(texts) : .text(texts.joined(separator: " "))
    }
    var values: [String] = []
    for name in names { values.append(try value(of: name, among: part.options)) }
    return part.takesSeveral
      ? .list(Array(Set(values)).sorted()) : .text(values.joined(separator: ", "))
  }

  private func value(
    of name: String,
    among options: [Option]
  ) throws(AnswerProblem) -> String {
    let names = OptionNames(options)
    switch names.match(name) {
    case .one(let place): return options[place].value
    case .several: throw .ambiguous(name, options: names.shown)
    case .none: throw .noChoice(name, options: names.shown)
    }
  }
}

extension String {
  /// Whether it is the number of a choice, existing or not, rather than a text.
  fileprivate var isNumber: Bool { Int(self) != nil }
}

/// The names of a question's choices: their numbers from 1, their values and their labels.
package struct OptionNames: Sendable {
  package enum Match: Sendable, Equatable {
    case none
    /// The place of the choice; of equal choices, the first.
    case one(Int)
    case several
  }

  private let options: [UserQuestion.Option]

  package init(_ options: [UserQuestion.Option]) {
    self.options = options
  }

  /// Finds the choice that has exactly this name.
  ///
  /// A label is also matched as it is shown, with escapes for hidden characters. A name for choices
  /// with different values is ambiguous.
  package func match(_ name: String) -> Match {
    var places = options.indices.filter { place in
      let option = options[place]
      return option.value.isSame(as: name) || option.label.isSame(as: name)
        || RevealedText(option.label).line.isSame(as: name)
    }
    if let number = Int(name), options.indices.contains(number - 1), name == String(number) {
      places.append(number - 1)
    }
    guard let first = places.min() else { return .none }
    let value = options[first].value
    return places.allSatisfy { options[$0].value.isSame(as: value) } ? .one(first) : .several
  }

  /// The numbered choices, safe to show.
  package var shown: [String] {
    options.enumerated().map { "\($0 + 1) \(RevealedText($1.label).line)".safeLine(limit: 80) }
  }
}

extension String {
  /// Whether both have the same bytes: the server compares no characters that only look the same.
  fileprivate func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

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
