// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A question as shown to the user: a dialog, or the next part of an `ask`.
struct ChatQuestion: Sendable, Equatable {
  struct Choice: Sendable, Equatable {
    /// What the server gets.
    var value: String
    /// As the server sent it.
    var label: String
    /// The description in full, safe to show.
    var note = ""
  }

  let source: UserQuestion
  /// The question on one line, safe to show.
  let text: String
  /// The question in full with its own line breaks, safe to show; at least one line.
  let lines: [String]
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
  /// Whether the server gets the values of choices unchanged, and lists of them.
  let takesValues: Bool
  let isConfirmation: Bool

  var id: String { source.id }

  var isLastPart: Bool { part.number == part.count }

  static func == (first: Self, second: Self) -> Bool {
    first.id == second.id && first.partID == second.partID
      && first.source.asksSame(as: second.source)
  }

  /// Reads the next part without an answer; `nil` if all parts have one.
  ///
  /// `requests` is what asks a human on the server.
  init?(
    _ question: UserQuestion,
    answered: [String: PartAnswer],
    for requests: Dialect.Requests = .permissions
  ) {
    source = question
    takesValues = requests.takesOptionValues
    placeholder = question.placeholder?.safeLine(limit: 120)
    prefill = question.prefill
    isConfirmation = question.kind == .confirm
    // The parts of an `ask` that cannot be read can only be cancelled.
    guard question.kind == .ask, !question.parts.isEmpty else {
      (text, lines) = Self.shown(question.text, else: question.method)
      choices =
        isConfirmation
        ? ["yes", "no"].map { Choice(value: $0, label: $0) } : question.options.map(Choice.init)
      partID = nil
      part = (1, 1)
      takesSeveral = false
      takesText = ["input", "editor"].contains(question.method)
      return
    }
    let open = question.parts.filter { answered[$0.id] == nil }
    guard let first = open.first else { return nil }
    (text, lines) = Self.shown(first.text, else: question.method)
    choices = first.options.map(Choice.init)
    partID = first.id
    part = (question.parts.count - open.count + 1, question.parts.count)
    takesSeveral = first.takesSeveral
    takesText = question.takesOwnText
  }

  private static func shown(_ text: String, else method: String) -> (String, [String]) {
    let text = text.isEmpty ? method.safeLine(limit: 40) : text
    return (text.safeLine(limit: 64 << 10), RevealedText(text).plain)
  }

  /// Why an answer may not be sent from a surface; `nil` if it may.
  func obstacle(
    to answer: QuestionAnswer,
    on surface: ApprovalPolicy.Surface
  ) -> ApprovalPolicy.Obstacle? {
    ApprovalPolicy.obstacle(to: answer, source, on: surface)
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
    var rows = lines.enumerated().map { ($0 == 0 ? "? " : "  ") + $1 }
    rows[rows.count - 1] += place
    let asker = source.extensionName.map { [StyledText("asked by \($0)", .dim)] } ?? []
    let warnings = RequestText.warnings(of: source).map { StyledText($0, .error) }
    return (asker + warnings + rows.map { StyledText($0, .warning) }).flatMap { line in
      TextBlock.folded(line.plain, width: max(1, width))
        .map { StyledText($0, line.pieces.first?.style ?? .plain) }
    }
  }

  static func line(of choice: Choice) -> StyledText {
    var line = StyledText(RevealedText(choice.label).line)
    if !choice.note.isEmpty { line.append("  \(choice.note)", .dim) }
    return line
  }
}

extension ChatQuestion.Choice {
  fileprivate init(_ option: UserQuestion.Option) {
    value = option.value
    label = option.label
    note = option.note.map { RevealedText($0).line } ?? ""
  }
}
