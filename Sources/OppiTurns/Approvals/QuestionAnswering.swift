// SPDX-License-Identifier: MIT

import OppiClient
import OppiText
package import OppiWire

/// Answers given by words, for servers that pass on the values of choices unchanged.
extension UserQuestion {
  /// The answer of the given words; `nil` without words.
  ///
  /// Each word answers a part of an `ask`, in order; an empty word skips its part. There must be one
  /// for each part. With the id of a part, all words are choices of that part.
  ///
  /// - Throws: `OppiError` if the words are no answer.
  package func answer(by words: [String], toPart partID: String? = nil) throws -> QuestionAnswer? {
    guard let word = words.first else { return nil }
    if let partID, kind != .ask { throw noPart(partID) }
    if kind != .ask, words.count > 1 { throw OppiError.severalAnswers }
    switch kind {
    case .confirm:
      switch word.lowercased() {
      case "y", "yes": return .confirmed(true)
      case "n", "no": return .cancelled
      default: throw OppiError.noChoice(word, of: id, among: ["yes", "no"])
      }
    case .select: return .value(try value(of: word, among: options))
    case .input, .editor: return .value(word)
    case .ask: return .choices(try choices(by: words, toPart: partID))
    case .permission, .other:
      throw OppiError(
        .badInput,
        "cannot answer a question of kind '\(method.safeLine(limit: 40))'",
        hints: ["cancel it with: oppi deny \(id.asOperand)"]
      )
    }
  }

  private func choices(
    by words: [String],
    toPart partID: String?
  ) throws(OppiError) -> [String: PartAnswer] {
    if let partID {
      guard let part = parts.first(where: { $0.id == partID }) else {
        throw noPart(partID)
      }
      if !part.takesSeveral, words.count > 1 { throw .severalAnswers }
      return [partID: try answer(to: part, by: words)]
    }
    try checkCount(of: words)
    var answers: [String: PartAnswer] = [:]
    for (word, part) in zip(words, parts) where !word.isEmpty {
      let isWhole = !part.takesSeveral || OptionNames(part.options).match(word) != .none
      let names = isWhole ? [word] : Self.names(in: word)
      answers[part.id] = try answer(to: part, by: names, in: word)
    }
    return answers
  }

  /// Throws unless there is a word for each part of an `ask`: a part that is left out by mistake
  /// would be answered with nothing.
  func checkCount(of words: [String]) throws(OppiError) {
    guard words.count <= parts.count else {
      throw parts.count == 1 ? .severalAnswers : .tooManyAnswers
    }
    if words.count < parts.count { throw .tooFewAnswers(to: self, words.count) }
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
  ) throws(OppiError) -> PartAnswer {
    let matches = names.map(OptionNames(part.options).match)
    let isOwnText =
      takesOwnText && matches.allSatisfy { $0 == .none }
      && (part.options.isEmpty || !names.allSatisfy(ShownQuestion.isNumbers))
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
  ) throws(OppiError) -> String {
    let names = OptionNames(options)
    switch names.match(name) {
    case .one(let place): return options[place].value
    case .several:
      throw .noChoice(name, of: id, among: names.shown, because: OptionNames.ambiguity)
    case .none: throw .noChoice(name, of: id, among: names.shown)
    }
  }

  private func noPart(_ partID: String) -> OppiError {
    let known = (kind == .ask ? parts : []).map { $0.id.safeLine(limit: 60) }
      .joined(separator: ", ")
    return OppiError(
      .badInput,
      "the question has no part '\(partID.safeLine(limit: 60))'",
      hints: (known.isEmpty ? [] : ["parts: \(known)"]) + [OppiError.showing(id)]
    )
  }
}

/// The names of a question's choices: their numbers from 1, their values and their labels.
struct OptionNames: Sendable {
  enum Match: Sendable, Equatable {
    case none
    /// The place of the choice; of equal choices, the first.
    case one(Int)
    case several
  }

  /// Why a name for several choices is rejected.
  static let ambiguity = "is ambiguous: it names several choices"

  private let options: [UserQuestion.Option]

  init(_ options: [UserQuestion.Option]) {
    self.options = options
  }

  /// Finds the choice that has exactly this name.
  ///
  /// A label is also matched as it is shown, with escapes for hidden characters. A name for choices
  /// with different values is ambiguous.
  func match(_ name: String) -> Match {
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
  var shown: [String] {
    options.enumerated().map { "\($0 + 1) \(RevealedText($1.label).line)".safeLine(limit: 80) }
  }
}

extension String {
  /// Whether both have the same bytes: the server compares no characters that only look the same.
  fileprivate func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
