// SPDX-License-Identifier: MIT

/// The text of a question, in full and on one line.
extension UserQuestion {
  package var kind: HumanRequest.Kind {
    let kind = HumanRequest.Kind(method)
    return kind == .permission ? .other("unknown") : kind
  }

  /// The title and the message with their own line breaks, as the server wrote them; of an `ask`,
  /// the texts of its parts.
  package var text: String {
    var texts = [title, message].compactMap(\.self)
    if kind == .ask { texts += parts.map(\.text) }
    texts.removeAll(where: \.isEmpty)
    let isOfLines = kind == .ask || texts.contains { $0.utf8.contains(UInt8(ascii: "\n")) }
    return isOfLines ? texts.joined(separator: "\n") : texts.sentence(by: ": ")
  }

  /// The text in lines of any length, safe to show; at least one line.
  package var lines: [String] {
    let text = text
    return RevealedText(text.isEmpty ? method.safeLine(limit: 40) : text).plain
  }

  private static let lineLimit = 2000

  /// The text on one line for a list, safe to show; at most ``lineLimit`` characters.
  ///
  /// Line breaks and repeated spaces are one space, so that the command in a text is not far
  /// behind. Nothing is decided by this text alone.
  package var line: String {
    let words = lines.map { $0.split(separator: " ").joined(separator: " ") }
    return words.filter { !$0.isEmpty }.sentence(by: kind == .ask ? "; " : " ")
      .safeLine(limit: Self.lineLimit)
  }

  /// All texts that are shown for an answer.
  var shownTexts: [String] {
    let options = self.options + parts.flatMap(\.options)
    return [text] + options.map(\.label) + options.compactMap(\.note)
  }

  /// The number of invisible characters, which are shown as escapes.
  package var hiddenCount: Int {
    shownTexts.reduce(0) { $0 + RevealedText($1).escapeCount }
  }
}

// MARK: - Refusing

extension UserQuestion {
  /// The choice 'No' where the only other choice is 'Yes', which is how gates ask; `nil` otherwise.
  var no: String? {
    let values = options.filter { $0.value == $0.label }.map(\.value)
    guard kind == .select, options.count == 2, Set(values.map { $0.lowercased() }) == ["yes", "no"]
    else { return nil }
    return values.first { $0.lowercased() == "no" }
  }

  /// Whether the answer refuses what the question asks for, which is possible without reading it.
  package func isRefused(by answer: QuestionAnswer) -> Bool {
    answer.isRefusal || no.map { answer == .value($0) } == true
  }
}

// MARK: - Comparing

extension UserQuestion {
  /// All that is shown for an answer.
  private struct Content: Hashable {
    let method: String
    let asker: String?
    let texts: [String?]
    let options: [Option]
    let parts: [Part]
    let takesOwnText: Bool
    let isWhole: Bool

    init(_ question: UserQuestion) {
      (method, asker) = (question.method, question.extensionName)
      texts = [question.title, question.message, question.placeholder, question.prefill]
      (options, parts) = (question.options, question.parts)
      (takesOwnText, isWhole) = (question.takesOwnText, question.isWhole)
    }
  }

  /// Identifies the content of a question within this process; never 0.
  package var contentHash: Int { Content(self).hashValue | 1 }

  /// Whether both ask the same with the same choices, so that an answer to one applies to the other.
  package func asksSame(as other: UserQuestion) -> Bool { Content(self) == Content(other) }
}

// MARK: - Risk

extension UserQuestion {
  /// The worst risk of a command in the text.
  ///
  /// An extension that asks for approval may quote the command anywhere in its text. As with calls,
  /// it is only advice, and a low risk guarantees nothing.
  func estimatedRisk() -> Risk {
    let text = text
    guard isWhole, RevealedText(text).escapeCount == 0 else { return .high }
    let start = text.head(bytes: Self.searchedLimit)
    return Self.ends(of: start).prefix(Self.searchedCount).map(ShellRisk.of)
      .reduce(ShellRisk.of(text), max)
  }

  /// The limits of the search for commands within a line, in bytes and in words.
  private static let searchedLimit = 1024
  private static let searchedCount = 64

  /// The ends of each line, from its second word on.
  private static func ends(of text: String) -> [String] {
    text.split(separator: "\n").flatMap { line -> [String] in
      let words = line.split(separator: " ")
      // The word 'at' is also a program of high risk.
      return words.dropFirst().filter { $0 != "at" }.map { String(line[$0.startIndex...]) }
    }
  }
}
