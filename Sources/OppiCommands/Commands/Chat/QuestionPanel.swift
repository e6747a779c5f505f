// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The question that a person answers, in the composer's place; no input or output.
///
/// Arrows and numbers select, a space marks where several may be chosen, text is typed, and Enter
/// alone answers, once the end of the question has been seen. What is typed without a rest before it
/// goes on to the message.
struct QuestionPanel: Sendable {
  /// What Enter has confirmed.
  typealias Outcome = PanelOutcome<QuestionAnswer>

  /// Nobody reads the next part of a question in less.
  private static let glance = Duration.milliseconds(250)

  let question: ChatQuestion
  /// The choice that the arrows have come to, or past the last one leaving it unanswered.
  private(set) var row: Int?
  private(set) var marked: Set<Int> = []
  /// What is typed.
  private(set) var answer = Composer()
  private var gate = TypingGate()
  /// Whether it is the next part of a question that is being answered: no message is being written.
  private var isNextPart = false
  /// Whether the person has done anything; what is filled in already is nobody's answer yet.
  private var isTouched = false
  private var layout = QuestionLayout()

  /// Makes the panel of a question that nobody has seen.
  init(_ question: ChatQuestion) {
    self.question = question
    if let prefill = question.prefill { answer.replace(prefill) }
  }

  /// The panel of the question's next part, which listens to who has just answered as soon as it was
  /// seen.
  func next(_ part: ChatQuestion) -> QuestionPanel {
    var panel = QuestionPanel(part)
    panel.gate = TypingGate(rest: Self.glance)
    panel.isNextPart = true
    return panel
  }

  /// The same with what was typed and marked, for whoever comes back to it.
  var shownAgain: QuestionPanel {
    var panel = self
    panel.gate = TypingGate()
    panel.isNextPart = false
    return panel
  }

  /// Why keys are not for the panel, as far as was known when time was told last; `nil` where they
  /// are.
  var closedNotice: String? {
    if gate.isOpen { return nil }
    return isNextPart ? "next question; ready in 1 s" : TypingGate.words
  }

  /// Takes it that time has passed.
  mutating func wait(at now: Duration) { gate.wait(at: now) }

  // MARK: - Keys

  mutating func take(_ key: Key, at pressed: Duration) -> Outcome {
    guard gate.lets(at: pressed) else {
      return isNextPart ? .taken : .typed(before: "")
    }
    isNextPart = false
    switch key {
    case .enter: return confirm()
    case .text(" ") where answer.isEmpty && question.takesSeveral: return mark()
    case .text(let text) where !takes(text):
      gate.close(at: pressed)
      return .typed(before: "")
    case .up where answer.isEmpty || row != nil: move(by: -1)
    case .down where answer.isEmpty || row != nil: move(by: 1)
    case .tab: move(by: 1)
    case .pageUp: layout.scroll(by: -1)
    case .pageDown: layout.scroll(by: 1)
    case .escape: break
    default:
      row = nil
      _ = answer.apply(key)
    }
    isTouched = true
    return .taken
  }

  /// Whether a typed text may be, or name, an answer.
  private func takes(_ text: String) -> Bool {
    if question.takesText { return true }
    let typed = answer.text + text
    return typed.allSatisfy { $0.isNumber || $0 == " " || $0 == "," }
      || !question.choices(named: typed).isEmpty
  }

  private mutating func move(by step: Int) {
    let count = question.choices.count + 1
    row = row.map { ($0 + step + count) % count } ?? (step > 0 ? 0 : count - 1)
    layout.selectsNew = true
  }

  private mutating func mark() -> Outcome {
    guard let row, question.choices.indices.contains(row) else {
      return .unconfirmed("select a choice with an arrow, mark it with the space bar")
    }
    if marked.remove(row) == nil { marked.insert(row) }
    isTouched = true
    return .taken
  }

  private func confirm() -> Outcome {
    if row == question.choices.count { return .confirmed(.cancelled) }
    guard layout.isQuestionSeen else {
      return .unconfirmed("scroll to the end (PageDown) before answering")
    }
    if let row {
      // Of several choices it is the marked ones that count, and else the one under the cursor.
      let chosen = marked.isEmpty ? [row] : marked
      return question.answer(choosing: chosen).map { .confirmed($0) } ?? .taken
    }
    if answer.isEmpty, let answer = question.answer(choosing: marked) { return .confirmed(answer) }
    let words = answer.text
    guard isTouched, !answer.isEmpty || question.prefill != nil,
      let answer = question.answer(forText: words, beside: marked)
    else {
      if ChatQuestion.isNumbers(words) {
        return .unconfirmed("no choice \(words.safeLine(limit: 20))")
      }
      return .unconfirmed(
        "nothing is selected; select with an arrow or a number, answer with Enter"
      )
    }
    return .confirmed(answer)
  }

  // MARK: - Picture

  /// Fits the question into so many columns and rows.
  mutating func fit(columns: Int, rows: Int) {
    let field = hasField ? fieldLines(columns: columns, rows: rows).lines.count : 0
    layout.fit(lines(columns: columns), columns: columns, rows: max(1, rows - field - 1))
  }

  /// Takes it that the picture, as it was fitted last, has been on the screen.
  mutating func wasShown(at now: Duration) {
    gate.wasShown(at: now)
    layout.wasShown()
  }

  /// The rows for what it was fitted into last, and where the cursor is in them.
  ///
  /// - Parameter rows: How many there are at the most.
  /// - Returns: The rows.
  func view(rows: Int) -> ScreenBlock {
    let more = layout.rowsBelow > 0 ? "\(layout.rowsBelow) more rows (PageDown); " : ""
    let shown = layout.shown + [StyledText(more + keys, .dim).truncated(to: layout.columns)]
    guard hasField else { return ScreenBlock(lines: shown) }
    let field = fieldLines(columns: layout.columns, rows: rows)
    let cursor = (shown.count + field.cursor.row, field.cursor.column)
    return ScreenBlock(lines: shown + field.lines, cursor: row == nil ? cursor : nil)
  }

  private var hasField: Bool { question.takesText || !answer.isEmpty }

  private func fieldLines(
    columns: Int,
    rows: Int
  ) -> (lines: [StyledText], cursor: (row: Int, column: Int)) {
    answer.layout(
      width: columns,
      prompt: StyledText("answer › ", .success),
      maxRows: max(1, rows / 3)
    )
  }

  /// All rows, in parts: the question, each choice, and leaving it unanswered.
  private func lines(columns: Int) -> QuestionLayout.Parts {
    var parts = QuestionLayout.Parts(question: question.heading(width: columns), choices: [])
    let named = row == nil ? question.choices(named: answer.text) : []
    for (index, choice) in question.choices.enumerated() {
      let isSelected = row == index || named.contains(index)
      var mark = StyledText(isSelected ? "▸ " : "  ", .name)
      if question.takesSeveral {
        let isMarked = marked.contains(index) || named.contains(index)
        mark.append(isMarked ? "[x] " : "[ ] ", .code)
      }
      mark.append("\(index + 1)  ", .code)
      parts.choices.append(
        mark.with(ChatQuestion.line(of: choice)).cut(to: columns, rest: StyledText("     "))
      )
    }
    let isCancelling = row == question.choices.count
    let cancel = StyledText(isCancelling ? "▸ " : "  ", .name)
      .with(StyledText("cancel the question", .dim))
    parts.choices.append([cancel.truncated(to: columns)])
    parts.selected = row ?? named.first
    if let placeholder = question.placeholder {
      parts.choices.append([StyledText("  e.g. \(placeholder)", .dim).truncated(to: columns)])
    }
    return parts
  }

  private var keys: String {
    var keys = question.choices.isEmpty ? [] : ["arrows or number: select"]
    if question.takesSeveral { keys.append("space: mark") }
    if question.takesText { keys.append("or type an answer") }
    return (keys + ["Enter: answer"]).joined(separator: ", ")
  }
}
