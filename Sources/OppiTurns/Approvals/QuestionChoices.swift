// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// The text of a question, its choices and the field of an answer; ``RequestPanel`` has the rules.
///
/// Arrows scroll until the whole question was shown, then they select, as numbers do; the space bar
/// marks where several choices are allowed, and text can be typed. Only Enter answers; choices that
/// keys selected must have been on the screen as selected.
struct QuestionChoices: Sendable {
  private let question: ShownQuestion
  /// The choice that the arrows selected; the row after the last one cancels the question.
  private var row: Int?
  private var marked: Set<Int> = []
  /// The choice that was last toggled by its number.
  private var toggled: Int?
  /// The choices that keys selected.
  private var selection = ShownSelection<Set<Int>>()
  /// The numbers that were typed last, which may be the start of a text.
  private var numbers = ""
  /// The typed text.
  private var answer = Composer()
  /// Whether the user has pressed a key; a prefilled text alone is not an answer.
  private var isTouched = false
  /// Whether the selection changed, so that it must become visible.
  private var selectsNew = false
  /// The rows of the question in the last width, because each key lays the panel out.
  private var text: (columns: Int, rows: [StyledText], widest: Int) = (-1, [], 0)
  /// The rows of the question and of its choices.
  private var rows: [StyledText] = []
  /// The rows of each choice.
  private var choiceRows: [Range<Int>] = []

  init(of question: ShownQuestion) {
    self.question = question
    if let prefill = question.prefill { answer.replace(prefill) }
  }

  var unsentText: String { question.prefill == answer.text ? "" : answer.text }

  /// Removes the typed text.
  mutating func clear() {
    answer.replace("")
    deselect()
  }

  mutating func deselect() {
    row = nil
    selection.select(chosen)
  }

  mutating func wasShown(at now: Duration) { selection.wasShown(at: now) }

  // MARK: - Keys

  mutating func take(_ key: Key, scrolling shown: inout ShownRows) -> RequestPanel.Outcome {
    defer { selection.select(chosen) }
    switch key {
    case .enter: return confirm()
    case .text(" ") where answer.isEmpty && question.takesSeveral: return mark()
    case .text(let text) where togglesNumbers(text):
      toggle(text)
      numbers += text
      isTouched = true
      return .taken
    case .text(let text) where !takes(text): return .typed(before: typing())
    case .up where answer.isEmpty || row != nil: readOrMove(by: -1, &shown)
    case .down where answer.isEmpty || row != nil: readOrMove(by: 1, &shown)
    case .tab: move(by: 1)
    case .pageUp: shown.scroll(byPages: -1)
    case .pageDown: shown.scroll(byPages: 1)
    case .escape: break
    default:
      row = nil
      _ = answer.apply(key)
    }
    isTouched = true
    numbers = ""
    return .taken
  }

  /// Selects nothing, because a key was typing; returns the text that was typed before it.
  private mutating func typing() -> String {
    let before = numbers + answer.text
    (row, toggled, marked, numbers) = (nil, nil, [], "")
    answer.replace("")
    return before
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
    selectsNew = true
  }

  /// The typed text; an empty line or a space beside the name of a choice is no part of it.
  private var words: String {
    question.choices.isEmpty ? answer.text : answer.text.stripped
  }

  /// Whether a typed text may become an answer.
  private func takes(_ text: String) -> Bool {
    if question.takesText { return true }
    let typed = answer.text + text
    return typed.allSatisfy { $0.isNumber || $0 == " " || $0 == "," }
      || !question.choices(named: typed).isEmpty
  }

  /// Scrolls towards rows that were not yet shown, and selects if there are none in the direction.
  private mutating func readOrMove(by step: Int, _ shown: inout ShownRows) {
    let isEnd = step > 0 ? shown.visible.upperBound == rows.count : shown.visible.lowerBound == 0
    guard row == nil, toggled == nil, !shown.isWhole, !isEnd else { return move(by: step) }
    shown.scroll(by: step)
  }

  private mutating func move(by step: Int) {
    let count = question.choices.count + 1
    row = row.map { ($0 + step + count) % count } ?? toggled ?? (step > 0 ? 0 : count - 1)
    toggled = nil
    selectsNew = true
  }

  private mutating func mark() -> RequestPanel.Outcome {
    if row == nil, toggled != nil {
      numbers += " "
      return .taken
    }
    guard let row, question.choices.indices.contains(row) else {
      return .refused("select a choice with an arrow, mark it with the space bar")
    }
    if marked.remove(row) == nil { marked.insert(row) }
    isTouched = true
    return .taken
  }

  /// The choices that keys selected and that Enter answers with; `nil` if there are none.
  ///
  /// A number or a single letter may have been meant for something else; typed words are not.
  private var chosen: Set<Int>? {
    var chosen = marked
    if let row {
      if marked.isEmpty { chosen = [row] }
    } else if ShownQuestion.isNumbers(words) || words.count == 1 {
      chosen.formUnion(question.choices(named: words))
    }
    return chosen.isEmpty ? nil : chosen
  }

  /// Why Enter does not answer yet; `nil` if what keys selected was on the screen for long enough.
  func obstacle(at now: Duration) -> String? {
    guard let chosen = selection.value, !selection.isSeen(at: now) else { return nil }
    let labels = question.choices.indices.filter(chosen.contains)
      .map { question.choices[$0].label.safeLine(limit: 40) }
    let what =
      labels.count == 1 ? "'\(labels[0])' is selected" : "\(labels.count) choices are selected"
    return "\(what); Enter answers"
  }

  private mutating func confirm() -> RequestPanel.Outcome {
    if row == question.choices.count { return .replied(.answer(.cancelled)) }
    if let row {
      // The marked choices count; without any, the selected one.
      let chosen = marked.isEmpty ? [row] : marked
      return question.answer(choosing: chosen).map { .replied(.answer($0)) } ?? .taken
    }
    if answer.isEmpty, let answer = question.answer(choosing: marked) {
      return .replied(.answer(answer))
    }
    let words = words
    guard isTouched, !answer.isEmpty || question.prefill != nil,
      let answer = question.answer(forText: words, beside: marked)
    else {
      if ShownQuestion.isNumbers(words) {
        // What is typed next is a new number, or a draft that does not begin with this one. Beside
        // marks the number stays: without it, another Enter would send the marks alone.
        if !question.takesText, marked.isEmpty { answer.replace("") }
        return .refused("no choice \(words.safeLine(limit: 20))")
      }
      return .refused("nothing is selected; select with an arrow or a number, answer with Enter")
    }
    return .replied(.answer(answer))
  }

  /// The keys that answer.
  var keys: String {
    var keys = question.choices.isEmpty ? [] : ["arrows or number: select"]
    if question.takesSeveral {
      let numbers = question.choices.count <= 9
      keys = numbers ? ["arrows: select", "number or space: mark"] : keys + ["space: mark"]
    }
    if question.takesText { keys.append("or type an answer") }
    return (keys + ["Enter: answer"]).joined(separator: ", ")
  }

  // MARK: - View

  /// Lays out the question, its choices and the field in the size of the panel.
  mutating func fit(_ size: ScreenSize, in shown: inout ShownRows) {
    if text.columns != size.columns {
      let rows = textRows(columns: size.columns)
      text = (size.columns, rows, RequestText.widest(rows))
    }
    rows = text.rows
    choiceRows = lines(columns: size.columns).map { choice in
      rows += choice
      return rows.count - choice.count..<rows.count
    }
    let widest = max(text.widest, RequestText.widest(rows[text.rows.count...]))
    let room = size.rows - (field(size)?.lines.count ?? 0) - 1
    shown.fit(rows.count, widest: widest, room: room)
    if selectsNew, let place = row ?? toggled { shown.reveal(choiceRows[place]) }
    selectsNew = false
  }

  func view(in shown: ShownRows, status: StyledText, _ size: ScreenSize) -> ScreenBlock {
    let lines = Array(rows[shown.visible]) + [status]
    let choice = row ?? toggled
    let place = choice.flatMap { choiceRows.indices.contains($0) ? choiceRows[$0].lowerBound : nil }
    let isVisible = place.map { shown.visible.contains($0) } ?? false
    let focus = isVisible ? (place ?? 0) - shown.visible.lowerBound : 0
    guard var field = field(size)?.below(lines) else {
      return ScreenBlock(lines: lines, cursor: .focus(row: focus))
    }
    if choice != nil { field.cursor = .focus(row: focus) }
    return field
  }

  private func field(_ size: ScreenSize) -> ScreenBlock? {
    guard question.takesText || !answer.isEmpty else { return nil }
    return answer.layout(
      width: size.columns,
      prompt: StyledText("answer › ", .name),
      maxRows: max(1, size.rows / 3)
    )
  }

  /// The rows of the question, with a long text that is to be edited.
  private func textRows(columns: Int) -> [StyledText] {
    // The field shows a short text in full.
    let current =
      question.prefill.map { RevealedText($0).plain.map { "current text: \($0)" } } ?? []
    let rows = RequestText.folded(current.map { StyledText($0, .dim) }, width: columns)
    return question.heading(width: columns) + (rows.count > 1 ? rows : [])
  }

  /// The rows of each choice, of cancelling, and of an example.
  private func lines(columns: Int) -> [[StyledText]] {
    let named = row == nil ? question.choices(named: answer.text) : []
    var lines = question.choices.enumerated().map { index, choice in
      let isSelected = row == index || named.contains(index)
      var mark = StyledText(isSelected ? "▸ " : "  ", .name)
      if question.takesSeveral {
        let isMarked = marked.contains(index) || named.contains(index)
        mark.append(isMarked ? "[x] " : "[ ] ", .name)
      }
      mark.append("\(index + 1)  ", .name)
      return mark.with(ShownQuestion.line(of: choice))
    }
    let isCancelling = row == question.choices.count
    let effect = question.source.asksForTrust ? ", which allows it" : ""
    let cancel = StyledText(isCancelling ? "▸ " : "  ", .name)
      .with(StyledText("cancel the request\(effect)", .dim))
    lines.append(cancel)
    if let placeholder = question.placeholder {
      lines.append(StyledText("  e.g. \(placeholder)", .dim))
    }
    return lines.map { RequestText.cut($0, width: columns, rest: StyledText("     ")) }
  }
}

// MARK: - Lines

extension QuestionChoices {
  /// The line that cancels a question.
  private static let cancellation = "/cancel"

  /// What may be typed.
  var usage: String {
    var way = question.choices.isEmpty ? [] : ["the number of a choice"]
    if question.takesSeveral { way = ["the numbers of choices, separated by commas"] }
    if question.takesText { way.append("your own answer") }
    let ways = (way + [Self.cancellation]).joined(separator: ", or ")
    return "type \(ways); question mark: repeat"
  }

  /// What a line answers; `nil` if it answers nothing.
  func answer(named line: String) -> RequestPanel.Outcome? {
    if line == Self.cancellation { return .replied(.answer(.cancelled)) }
    return question.answer(forText: line).map { .replied(.answer($0)) }
  }

  func lines(width: Int, left: String?) -> [StyledText] {
    let end = question.source.asksForTrust ? "allowed" : "cancelled"
    let time = left.map { ["\(end) without an answer in \($0)"] } ?? []
    return question.spokenLines(width: width)
      + time.flatMap { StyledText($0).folded(to: width, indent: 2) }
  }
}
