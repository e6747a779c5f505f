// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The panel for a pending question, in place of the composer; performs no input or output.
///
/// Arrows scroll until the whole question was shown, then they select, as numbers do; the space bar
/// marks where several choices are allowed, and text can be typed. Only Enter answers, after every
/// row was on the screen; a question that is not whole can only be cancelled. Keys without a pause
/// before them go to the draft.
struct QuestionPanel: Sendable {
  typealias Outcome = PanelOutcome<QuestionAnswer>

  /// Too short to read the next part.
  private static let glance = Duration.milliseconds(250)

  let question: ChatQuestion
  /// The choice that the arrows selected; the row after the last one cancels the question.
  private(set) var row: Int?
  private(set) var marked: Set<Int> = []
  /// The choice that was last toggled by its number.
  private var toggled: Int?
  /// The typed text.
  private(set) var answer = Composer()
  private var gate = TypingGate()
  /// Whether it is the next part of the same question: keys that come too early are then ignored
  /// and do not go to the draft.
  private var isNextPart = false
  /// Whether the user has pressed a key; a prefilled text alone is not an answer.
  private var isTouched = false
  private var layout = QuestionLayout()
  /// The rows of the question in the last width, because each key lays the panel out.
  private var text: (columns: Int, rows: [StyledText])?

  init(_ question: ChatQuestion) {
    self.question = question
    if let prefill = question.prefill { answer.replace(prefill) }
  }

  /// The panel of the next part, which accepts keys soon after it was shown.
  func next(_ part: ChatQuestion) -> QuestionPanel {
    var panel = QuestionPanel(part)
    panel.gate = TypingGate(rest: Self.glance)
    panel.isNextPart = true
    return panel
  }

  /// The panel after the user returns to it, with the typed text and the marks.
  var shownAgain: QuestionPanel {
    var panel = self
    panel.gate = TypingGate()
    panel.isNextPart = false
    return panel
  }

  /// Why keys do not go to the panel, as of the last call with a time; `nil` if they do.
  var closedNotice: String? {
    if gate.isOpen { return nil }
    return isNextPart ? "next question; ready in 1 s" : TypingGate.words
  }

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
    case .text(let text) where togglesNumbers(text): toggle(text)
    case .text(let text) where !takes(text):
      gate.close(at: pressed)
      return .typed(before: "")
    case .up where answer.isEmpty || row != nil: readOrMove(by: -1)
    case .down where answer.isEmpty || row != nil: readOrMove(by: 1)
    case .tab: move(by: 1)
    case .pageUp: layout.shown.scroll(byPages: -1)
    case .pageDown: layout.shown.scroll(byPages: 1)
    case .escape: break
    default:
      row = nil
      _ = answer.apply(key)
    }
    isTouched = true
    return .taken
  }

  /// Whether a text consists of numbers of choices, each of one digit.
  private func togglesNumbers(_ text: String) -> Bool {
    question.takesSeveral && answer.isEmpty && question.choices.count <= 9
      && text.allSatisfy { $0 == "," || $0 == " " || number($0) != nil }
  }

  private func number(_ digit: Character) -> Int? {
    guard digit.isASCII, let number = digit.wholeNumberValue,
      (1...max(1, question.choices.count)).contains(number), !question.choices.isEmpty
    else { return nil }
    return number
  }

  /// Toggles choices by number; separators between numbers are ignored.
  private mutating func toggle(_ text: String) {
    for place in text.compactMap(number).map({ $0 - 1 }) {
      if marked.remove(place) == nil { marked.insert(place) }
      toggled = place
    }
    row = nil
  }

  /// Whether a typed text may become an answer.
  private func takes(_ text: String) -> Bool {
    if question.takesText { return true }
    let typed = answer.text + text
    return typed.allSatisfy { $0.isNumber || $0 == " " || $0 == "," }
      || !question.choices(named: typed).isEmpty
  }

  private mutating func readOrMove(by step: Int) {
    let isReading = row == nil && toggled == nil && layout.read(by: step)
    if !isReading { move(by: step) }
  }

  private mutating func move(by step: Int) {
    let count = question.choices.count + 1
    row = row.map { ($0 + step + count) % count } ?? toggled ?? (step > 0 ? 0 : count - 1)
    toggled = nil
    layout.selectsNew = true
  }

  private mutating func mark() -> Outcome {
    if row == nil, toggled != nil { return .taken }
    guard let row, question.choices.indices.contains(row) else {
      return .unconfirmed("select a choice with an arrow, mark it with the space bar")
    }
    if marked.remove(row) == nil { marked.insert(row) }
    isTouched = true
    return .taken
  }

  private func confirm() -> Outcome {
    if row == question.choices.count { return .confirmed(.cancelled) }
    if let row {
      // The marked choices count; without any, the selected one.
      let chosen = marked.isEmpty ? [row] : marked
      return question.answer(choosing: chosen).map(allowed) ?? .taken
    }
    if answer.isEmpty, let answer = question.answer(choosing: marked) { return allowed(answer) }
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
    return allowed(answer)
  }

  /// Confirms an answer unless a rule forbids it.
  private func allowed(_ answer: QuestionAnswer) -> Outcome {
    let surface = ApprovalPolicy.Surface.panel(isWholeShown: layout.shown.isWhole)
    return question.obstacle(to: answer, on: surface).map { .unconfirmed($0.noticeForQuestion) }
      ?? .confirmed(answer)
  }

  // MARK: - View

  /// Lays out the question in a size in columns and rows.
  ///
  /// A change of size may show rows that were not seen: then keys need a new pause. The typed text
  /// and the marks stay.
  mutating func fit(columns: Int, rows: Int) {
    if layout.shown.resize(columns: columns, rows: rows) {
      row = nil
      gate = TypingGate()
      isNextPart = false
    }
    let field = hasField ? fieldLines(columns: columns, rows: rows).lines.count : 0
    let text = text.flatMap { $0.columns == columns ? $0.rows : nil } ?? textRows(columns: columns)
    self.text = (columns, text)
    layout.fit(lines(below: text, columns: columns), columns: columns, room: rows - field - 1)
  }

  /// Records that the view for the last size was on the screen.
  mutating func wasShown(at now: Duration) {
    gate.wasShown(at: now)
    layout.shown.wasShown()
  }

  /// The view for the last size, of at most `rows` rows, with the cursor.
  ///
  /// The time left is shown only with `serverNow`, the time on the server's clock.
  func view(rows: Int, serverNow: Timestamp? = nil) -> ScreenBlock {
    let place = layout.shown.place
    let hint = place.with(
      StyledText((place.isEmpty ? "" : "; ") + timeLeft(at: serverNow) + keys, .dim)
    )
    let shown = layout.visible + [hint.truncated(to: layout.columns)]
    // The cursor is the focus for screen readers and Braille displays: the choice, the field, or the
    // question before anything is selected.
    let focus = (row ?? toggled).flatMap { layout.place(ofChoice: $0) }
    guard hasField else { return ScreenBlock(lines: shown, cursor: (focus ?? 0, 0)) }
    let field = fieldLines(columns: layout.columns, rows: rows)
    let cursor = (shown.count + field.cursor.row, field.cursor.column)
    let isInField = row == nil && toggled == nil
    return ScreenBlock(
      lines: shown + field.lines,
      cursor: isInField ? cursor : (focus ?? 0, 0)
    )
  }

  private func timeLeft(at serverNow: Timestamp?) -> String {
    guard let end = question.source.timeoutAt, let serverNow else { return "" }
    return "expires in \(ElapsedTime.text(.seconds(serverNow.age(at: end)))); "
  }

  private var hasField: Bool { question.takesText || !answer.isEmpty }

  private func fieldLines(
    columns: Int,
    rows: Int
  ) -> (lines: [StyledText], cursor: (row: Int, column: Int)) {
    answer.layout(
      width: columns,
      prompt: StyledText("answer › ", .name),
      maxRows: max(1, rows / 3)
    )
  }

  /// The rows of the question, with a long text that is to be edited.
  private func textRows(columns: Int) -> [StyledText] {
    // The field shows a short text in full.
    let current =
      question.prefill.map { RevealedText($0).plain.map { "current text: \($0)" } } ?? []
    let rows = current.flatMap { TextBlock.folded($0, width: max(1, columns)) }
    return question.heading(width: columns)
      + (rows.count > 1 ? rows.map { StyledText($0, .dim) } : [])
  }

  /// The rows of the question, of each choice, and of cancelling.
  private func lines(below text: [StyledText], columns: Int) -> QuestionLayout.Parts {
    var parts = QuestionLayout.Parts(question: text, choices: [])
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
    if question.takesSeveral {
      let numbers = question.choices.count <= 9
      keys = numbers ? ["arrows: select", "number or space: mark"] : keys + ["space: mark"]
    }
    if question.takesText { keys.append("or type an answer") }
    return (keys + ["Enter: answer"]).joined(separator: ", ")
  }
}
