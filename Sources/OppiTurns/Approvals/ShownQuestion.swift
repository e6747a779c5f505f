// SPDX-License-Identifier: MIT

package import OppiModel
import OppiTerminal
import OppiText
package import OppiWire

/// A question as shown to the user: a dialog, or the next part of an `ask`.
package struct ShownQuestion: Sendable, Equatable {
  package let source: UserQuestion
  /// The part of an `ask`; `nil` for a dialog, and for an `ask` whose parts cannot be read, which
  /// can only be cancelled.
  private let asked: UserQuestion.Part?
  let part: (number: Int, count: Int)
  /// Whether the server gets the values of choices unchanged, and lists of them.
  let takesValues: Bool

  /// Reads the next part without an answer; `nil` if all parts have one.
  ///
  /// `requests` is what asks a human on the server.
  init?(
    _ question: UserQuestion,
    answered: [String: PartAnswer],
    for requests: Dialect.Requests = .permissions
  ) {
    (source, takesValues) = (question, requests.takesOptionValues)
    guard question.kind == .ask, !question.parts.isEmpty else {
      (asked, part) = (nil, (1, 1))
      return
    }
    let open = question.parts.filter { answered[$0.id] == nil }
    guard let first = open.first else { return nil }
    (asked, part) = (first, (question.parts.count - open.count + 1, question.parts.count))
  }

  package static func == (first: Self, second: Self) -> Bool {
    first.id == second.id && first.partID == second.partID
      && first.source.isAbout(sameAs: second.source)
  }

  package var id: String { source.id }
  /// The part's id within an `ask`; `nil` for a dialog.
  var partID: String? { asked?.id }
  var isLastPart: Bool { part.number == part.count }
  var isConfirmation: Bool { source.kind == .confirm }
  var takesSeveral: Bool { asked?.takesSeveral ?? false }

  package var takesText: Bool {
    asked == nil ? ["input", "editor"].contains(source.method) : source.takesOwnText
  }

  /// As the server sent them.
  package var choices: [UserQuestion.Option] {
    guard !isConfirmation else {
      return ["yes", "no"].map { UserQuestion.Option(value: $0, label: $0) }
    }
    return asked?.options ?? source.options
  }

  /// As the server wrote it, and not safe to show; never empty.
  private var question: String {
    let text = asked.map { (source.headings + [$0.text]).joined(separator: "\n") } ?? source.text
    return text.isEmpty ? source.method.safeLine(limit: 40) : text
  }

  /// The question on one line, safe to show.
  var text: String { question.safeLine(limit: 64 << 10) }

  /// The question in full with its own line breaks, safe to show; at least one line.
  private var lines: [String] { RevealedText(question).plain }

  /// An example of a typed answer.
  var placeholder: String? { source.placeholder?.safeLine(limit: 120) }

  /// The initial text of an answer.
  var prefill: String? { source.prefill }

  // MARK: - Display

  /// The question with its numbered choices.
  func lines(width: Int) -> [StyledText] {
    var lines = heading(width: width)
    for (index, choice) in choices.enumerated() {
      lines.append(StyledText("  \(index + 1)  ", .name).with(Self.line(of: choice)))
    }
    if let placeholder { lines.append(StyledText("  e.g. \(placeholder)", .dim)) }
    return lines
  }

  func heading(width: Int) -> [StyledText] {
    let place = part.count > 1 ? " (\(part.number) of \(part.count))" : ""
    var rows = lines.enumerated().map { ($0 == 0 ? "! " : "  ") + $1 }
    rows[rows.count - 1] += place
    let asker = source.extensionName.map { [StyledText("asked by \($0)", .dim)] } ?? []
    let warnings = RequestText.warnings(of: .question(source)).map { StyledText($0, .error) }
    let lines = asker + warnings + rows.map { StyledText($0, .warning) }
    return RequestText.folded(lines, width: width)
  }

  /// The question with its numbered choices, for a listener; nothing is dropped.
  func spokenLines(width: Int) -> [StyledText] {
    let place = part.count > 1 ? ", \(part.number) of \(part.count)" : ""
    let asker = source.extensionName.map { ", asked by \($0)" } ?? ""
    let lines = lines
    let size = lines.count > 1 ? ", \(lines.count) lines" : ""
    let warnings = RequestText.warnings(of: .question(source)).map { "warning: \($0)" }
    let isShort = lines.count == 1
    let need = HumanRequest.question(source).needs
    let head = need.state + place + asker + (isShort ? ": \(lines[0])" : size)
    var prose = [StyledText(SpokenLabel(need).line(head))] + warnings.map { StyledText($0) }
    if let placeholder { prose.append(StyledText("example: \(placeholder)")) }
    let answers = choices.enumerated().map { index, choice in
      var line = StyledText("\(index + 1) \(RevealedText(choice.label).line)")
      if let note = choice.shownNote { line.append("; \(note)") }
      return line
    }
    let text =
      prefill.map { RevealedText($0).plain.map { StyledText("current text: \($0)") } } ?? []
    return RequestText.folded(prose, width: width, indent: 2)
      + (isShort ? [] : SpokenRequest.numbered(lines.map { StyledText($0) }, width: width))
      + (answers + text).flatMap { RequestText.cut($0, width: width, rest: StyledText("  ")) }
  }

  static func line(of choice: UserQuestion.Option) -> StyledText {
    var line = StyledText(RevealedText(choice.label).line)
    if let note = choice.shownNote { line.append("  \(note)", .dim) }
    return line
  }
}

extension UserQuestion.Option {
  /// The description in full on one line, safe to show; `nil` if there is none.
  fileprivate var shownNote: String? {
    note.map { RevealedText($0).line }.flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// The answers to a question, by choices and by typed texts.
extension ShownQuestion {
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
    let label = choices[first].label
    if chosen.count == 1, takenFor(label) == first { return .value(label) }
    // The server keeps only the first element of a list, but passes on a joined text.
    return passedOn(chosen.map { choices[$0].label }.joined(separator: ", "))
  }

  private func values(of chosen: [Int], and texts: [String] = []) -> PartAnswer {
    let values = Set(chosen.map { choices[$0].value }).sorted() + texts
    return takesSeveral ? .list(values) : .text(values.joined(separator: ", "))
  }

  /// The answer of a text that the server does not take for a choice, in quotation marks if needed;
  /// `nil` if there is none.
  private func passedOn(_ text: String) -> QuestionAnswer? {
    [text, "\"\(text)\""].first { takenFor($0) == nil }.map(QuestionAnswer.value)
  }

  /// The choice for which the server takes a text: the first whose label contains it.
  ///
  /// It passes other texts to the agent.
  private func takenFor(_ text: String) -> Int? {
    let text = text.lowercased()
    return choices.firstIndex { $0.label.lowercased().contains(text) }
  }

  /// The choices that a typed text names: by numbers or by label; none if it names some by numbers
  /// and others by label.
  func choices(named text: String) -> [Int] {
    let words = text.split { " ,".contains($0) }
    guard !words.isEmpty else { return [] }
    if takesValues, !isConfirmation { return choices(calledExactly: text, words.map(String.init)) }
    let numbers = words.compactMap { Int($0) }.filter { $0 >= 1 && $0 <= choices.count }
    if numbers.count == words.count, takesSeveral || numbers.count == 1 {
      let places = Set(numbers.map { $0 - 1 })
      let labels = Set(([text.trimmed] + words.map(String.init)).filter(isLabel))
      return labels.isSubset(of: places.map { choices[$0].label }) ? places.sorted() : []
    }
    let wanted = text.trimmed.lowercased()
    if isConfirmation { return wanted == "y" || wanted == "yes" ? [0] : wanted.isNo ? [1] : [] }
    return choices.firstIndex { $0.label.lowercased() == wanted }.map { [$0] } ?? []
  }

  /// Whether a text is exactly the label of a choice.
  func isLabel(_ text: String) -> Bool { choices.contains { $0.label == text } }

  /// The choices whose numbers, values or labels are typed; without regard to case if that is
  /// unambiguous.
  private func choices(calledExactly text: String, _ words: [String]) -> [Int] {
    let names = OptionNames(choices)
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
    let whole = (places.map { choices[$0].label } + [text]).joined(separator: ", ")
    return partID == nil ? .value(whole) : passedOn(whole)
  }

  /// Whether a text consists only of numbers.
  package static func isNumbers(_ text: String) -> Bool {
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
    case .confirmed, .cancelled: return nil
    }
  }
}

extension String {
  fileprivate var isNo: Bool { self == "n" || self == "no" }
}

/// The answers to questions, until all parts of a question have one.
package struct PartAnswers: Sendable {
  /// The number of questions to remember that were answered here.
  private static let ownLimit = 100

  /// What asks a human on the session's server.
  private let requests: Dialect.Requests
  /// The answers to earlier parts, by question id and part id, and the question as it was shown.
  private var parts: [String: (source: UserQuestion, answers: [String: PartAnswer])] = [:]
  /// The last questions that were answered here.
  private var own: [String] = []

  package init(for requests: Dialect.Requests) {
    self.requests = requests
  }

  /// The call, or the next part of a question without an answer; `nil` if all parts have one.
  package func open(of request: HumanRequest) -> RequestPanel.Subject? {
    switch request {
    case .permission(let call): .call(call)
    case .question(let question):
      ShownQuestion(question, answered: answers(to: question), for: requests)
        .map(RequestPanel.Subject.question)
    }
  }

  /// The answers to the parts of a question; what was answered of another one with its id is void.
  private func answers(to question: UserQuestion) -> [String: PartAnswer] {
    guard let known = parts[question.id], known.source.isAbout(sameAs: question) else { return [:] }
    return known.answers
  }

  /// Records an answer; returns the reply to the whole request, or `nil` before the last part of a
  /// question.
  package mutating func take(_ reply: RequestReply, to subject: RequestPanel.Subject)
    -> RequestReply?
  {
    guard case .answer(let answer) = reply, case .question(let question) = subject else {
      return reply
    }
    var whole = answer
    if let part = question.partID, let text = question.partAnswer(in: answer) {
      let answers = answers(to: question.source).merging([part: text]) { $1 }
      parts[question.id] = (question.source, answers)
      guard question.isLastPart else { return nil }
      whole = .choices(answers)
    }
    parts[question.id] = nil
    own = own.suffix(Self.ownLimit - 1) + [question.id]
    return .answer(whole)
  }

  /// Whether a question was answered here, so that its end is no news.
  package func isOwn(_ questionID: String) -> Bool { own.contains(questionID) }

  /// Forgets the parts of questions that are no longer pending.
  package mutating func keep(_ pending: Set<String>) {
    parts = parts.filter { pending.contains($0.key) }
  }
}
