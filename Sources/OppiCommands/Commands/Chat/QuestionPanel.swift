// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The question that a person answers, in the composer's place; no input or output.
///
/// Arrows and numbers select, a space marks where several may be chosen, text is typed, and Enter
/// alone answers. What is typed without a rest before it goes on to the message.
struct QuestionPanel: Sendable {
  /// What Enter has confirmed.
  typealias Outcome = PanelOutcome<QuestionAnswer>

  let question: ChatQuestion
  /// The row that the arrows have come to: a choice, or past the last one leaving it unanswered.
  private(set) var row: Int?
  private(set) var marked: Set<Int> = []
  /// What is typed.
  private(set) var answer = Composer()
  private var gate: TypingGate
  private var firstRow = 0
  private var size = ScreenSize(columns: 80, rows: 24)

  /// Makes the panel of a question that is shown from now on, a moment since some beginning.
  init(_ question: ChatQuestion, at now: Duration) {
    self.question = question
    gate = TypingGate(at: now)
    if let prefill = question.prefill { answer.replace(prefill) }
  }

  /// Whether keys are for the panel, as far as was known when time was told last.
  var listens: Bool { gate.isOpen }

  /// Takes it that time has passed.
  mutating func wait(at now: Duration) { gate.wait(at: now) }

  /// The panel of the question's next part, which goes on listening to who has just answered.
  func next(_ part: ChatQuestion, at now: Duration) -> QuestionPanel {
    var panel = QuestionPanel(part, at: now)
    panel.gate = gate
    return panel
  }

  /// The same with what was typed and marked, for whoever comes back to it.
  func shownAgain(at now: Duration) -> QuestionPanel {
    var panel = self
    panel.gate = TypingGate(at: now)
    return panel
  }

  // MARK: - Keys

  mutating func take(_ key: Key, at now: Duration) -> Outcome {
    guard gate.lets(at: now) else { return .typed(before: "") }
    switch key {
    case .up where answer.isEmpty || row != nil: move(by: -1)
    case .down where answer.isEmpty || row != nil: move(by: 1)
    case .tab: move(by: 1)
    case .pageUp: firstRow = max(0, firstRow - 5)
    case .pageDown: firstRow += 5
    case .text(" ") where answer.isEmpty && question.takesSeveral: return mark()
    case .enter: return confirm()
    case .text(let text) where !takes(text):
      gate.close(at: now)
      return .typed(before: "")
    case .text, .paste, .newline, .backspace, .delete, .deleteWord, .left, .right, .up, .down,
      .home, .end, .wordLeft, .wordRight, .undo, .control:
      row = nil
      _ = answer.apply(key)
    case .escape: break
    }
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
  }

  private mutating func mark() -> Outcome {
    guard let row, question.choices.indices.contains(row) else {
      return .unconfirmed("an arrow goes to a choice, the space bar marks it")
    }
    if marked.remove(row) == nil { marked.insert(row) }
    return .taken
  }

  private func confirm() -> Outcome {
    if let row {
      guard question.choices.indices.contains(row) else { return .confirmed(.cancelled) }
      // Of several choices it is the marked ones that count, and else the one under the cursor.
      let chosen = marked.isEmpty ? [row] : marked
      return question.answer(choosing: chosen).map { .confirmed($0) } ?? .taken
    }
    if answer.isEmpty, !marked.isEmpty, let answer = question.answer(choosing: marked) {
      return .confirmed(answer)
    }
    guard !answer.isEmpty || question.prefill != nil,
      let answer = question.answer(forText: answer.text)
    else {
      return .unconfirmed("nothing is selected: an arrow or a number selects, Enter answers")
    }
    return .confirmed(answer)
  }

  // MARK: - Picture

  /// Fits the question into so many columns and rows.
  mutating func fit(columns: Int, rows: Int) {
    size = ScreenSize(columns: columns, rows: rows)
    let count = lines.count
    if let row {
      let place = question.heading(width: columns).count + row
      firstRow = min(max(firstRow, place - size.rows + 2), place)
    }
    firstRow = min(max(0, firstRow), max(0, count - size.rows))
  }

  /// The rows for what it was fitted into last, and where the cursor is in them.
  func view() -> ScreenBlock {
    let field = question.takesText || !answer.isEmpty
    let input = answer.layout(
      width: size.columns,
      prompt: StyledText("answer › ", .success),
      maxRows: max(1, size.rows / 3)
    )
    let fieldRows = field ? input.lines.count : 0
    var shown = Array(lines.dropFirst(firstRow).prefix(max(1, size.rows - fieldRows - 1)))
    let hidden = lines.count - firstRow - shown.count
    let more = hidden > 0 ? "\(hidden) more rows below, PageDown; " : ""
    shown.append(StyledText(more + keys, .dim).truncated(to: size.columns))
    let cursor = row == nil && field ? (shown.count + input.cursor.row, input.cursor.column) : nil
    return ScreenBlock(lines: shown + (field ? input.lines : []), cursor: cursor)
  }

  private var lines: [StyledText] {
    var lines = question.heading(width: size.columns)
    let named = row == nil ? Set(question.choices(named: answer.text)) : []
    for (index, choice) in question.choices.enumerated() {
      let isSelected = row == index || named.contains(index)
      var line = StyledText(isSelected ? "▸ " : "  ", .name)
      if question.takesSeveral { line.append(marked.contains(index) ? "[x] " : "[ ] ", .code) }
      line.append("\(index + 1)  ", .code)
      lines.append(line.with(ChatQuestion.line(of: choice)))
    }
    let isCancelling = row == question.choices.count
    lines.append(
      StyledText(isCancelling ? "▸ " : "  ", .name).with(StyledText("leave it unanswered", .dim))
    )
    if let placeholder = question.placeholder {
      lines.append(StyledText("  e.g. \(placeholder)", .dim))
    }
    return lines
  }

  private var keys: String {
    var keys = question.choices.isEmpty ? [] : ["arrows or a number select"]
    if question.takesSeveral { keys.append("space marks") }
    if question.takesText { keys.append("or type an answer") }
    return (keys + ["Enter answers"]).joined(separator: ", ")
  }
}
