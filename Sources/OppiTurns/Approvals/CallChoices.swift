// SPDX-License-Identifier: MIT

import OppiModel
package import OppiTerminal
import OppiWire

/// A choice for a tool call.
package struct CallChoice: LetterChoice {
  package let letter: String
  package let label: String
  let decision: PermissionDecision

  private init(_ letter: String, _ label: String, _ decision: PermissionDecision) {
    (self.letter, self.label, self.decision) = (letter, label, decision)
  }

  package static let allowOnce = Self("a", "allow once", .allow)
  static let allowForSession = Self("s", "allow for this session", .allowForSession)
  package static let deny = Self("d", "deny", .deny)
  static let denyWithReason = Self("r", "deny with a reason", .deny)

  package static let allCases = [allowOnce, allowForSession, deny, denyWithReason]

  /// The same choice has the same number in every request.
  fileprivate var number: Int { 1 + (Self.allCases.firstIndex(of: self) ?? 0) }

  /// What it does; the reason has its own field, and only Enter there decides.
  fileprivate var outcome: RequestPanel.Outcome {
    self == .denyWithReason ? .asksReason : .replied(.decision(decision))
  }
}

/// The text of a tool call, and the choices below it; ``RequestPanel`` has the rules.
///
/// Letters and arrows select; only Enter confirms. Keys that belong to typing go to the draft: two
/// letters in a row, and those without a meaning.
struct CallChoices: Sendable {
  private let request: PermissionRequest
  private var choices: ChoiceRow<CallChoice>
  /// The letter that selected a choice, while it may still be the start of a word.
  private var letter: (text: String, until: Duration)?
  /// The request wrapped to a width, stored because a long one takes time.
  private var folded: (columns: Int, rows: [StyledText], widest: Int) = (0, [], 0)

  init(of request: PermissionRequest, offering offered: [CallChoice]) {
    (self.request, choices) = (request, ChoiceRow(offered))
  }

  var selection: CallChoice? { choices.selection }

  mutating func deselect() {
    choices.select(nil)
    letter = nil
  }

  mutating func wasShown(at now: Duration) { choices.wasShown(at: now) }

  // MARK: - Keys

  mutating func take(
    _ key: Key,
    at now: Duration,
    scrolling shown: inout ShownRows
  ) -> RequestPanel.Outcome {
    switch key {
    case .up: shown.scroll(by: -1)
    case .down: shown.scroll(by: 1)
    case .pageUp: shown.scroll(byPages: -1)
    case .pageDown: shown.scroll(byPages: 1)
    case .home: shown.scroll(by: -shown.count)
    case .end: shown.scroll(by: shown.count)
    case .left: choices.select(next: -1)
    case .right, .tab: choices.select(next: 1)
    case .enter: return confirm(at: now)
    case .text(let text): return type(text, at: now)
    default: return .typed(before: typing(at: now))
    }
    letter = nil
    return .taken
  }

  private mutating func type(_ text: String, at now: Duration) -> RequestPanel.Outcome {
    let isFirst = letter.map { $0.until <= now } ?? true
    guard isFirst, let choice = choices.all.first(where: { $0.letter == text }) else {
      return .typed(before: typing(at: now))
    }
    choices.select(choice)
    if choice == .denyWithReason { return choice.outcome }
    letter = (text, now + TypingGate.rest)
    return .taken
  }

  /// Selects nothing, because a key was typing; returns the letter that was typed just before it.
  mutating func typing(at now: Duration) -> String {
    let before = letter.flatMap { $0.until > now ? $0.text : nil } ?? ""
    deselect()
    return before
  }

  private func confirm(at now: Duration) -> RequestPanel.Outcome {
    guard let selection else {
      return .refused("nothing is selected; select with a letter or an arrow, confirm with Enter")
    }
    guard choices.isSeen(at: now) else {
      return .refused("\(selection.label) is selected; Enter confirms")
    }
    return selection.outcome
  }

  // MARK: - View

  /// Wraps the request to the size of the panel.
  mutating func fit(_ size: ScreenSize, in shown: inout ShownRows) {
    if folded.columns != size.columns {
      let rows = RequestText.rows(of: .permission(request), width: size.columns)
      folded = (size.columns, rows, RequestText.widest(rows))
    }
    let rows = choices.rowCount(columns: size.columns)
    shown.fit(folded.rows.count, widest: folded.widest, room: size.rows - rows - 1)
  }

  func view(
    in shown: ShownRows,
    status: StyledText,
    _ size: ScreenSize,
    isListening: Bool
  ) -> ScreenBlock {
    let style: Style = isListening ? .plain : .dim
    let rows = choices.lines(columns: size.columns, isListening: isListening, style)
    return ScreenBlock(
      lines: folded.rows[shown.visible] + [status] + rows,
      cursor: choices.cursor(columns: size.columns, below: shown.visible.count + 1)
    )
  }
}

// MARK: - Lines

extension CallChoices {
  /// The choices that the policy allows after the whole text was printed.
  private var allowed: [CallChoice] {
    choices.all.filter { choice in
      let surface = ApprovalPolicy.Surface.panel(isWholeShown: true)
      let reply = RequestReply.decision(choice.decision)
      return ApprovalPolicy.obstacle(to: reply, .permission(request), on: surface) == nil
    }
  }

  /// What may be typed.
  var usage: String {
    let numbers = allowed.map { "\($0.number)" }
    let list = numbers.dropLast().joined(separator: ", ")
    let last = numbers.last ?? ""
    return "type \(list.isEmpty ? last : "\(list) or \(last)"), or a question mark to repeat"
  }

  /// What a line does that is exactly a choice; `nil` for any other.
  func choice(named line: String) -> RequestPanel.Outcome? {
    choices.all.first { line == "\($0.number)" || line == $0.label }?.outcome
  }

  func lines(width: Int, left: String?) -> [StyledText] {
    let end = left.map { ["end of request; denied without a decision in \($0)"] }
    return SpokenRequest.lines(of: request, width: width)
      + allowed.map { StyledText("\($0.number) \($0.label)") }
      + (end ?? SpokenRequest.end(of: request)).flatMap {
        StyledText($0).folded(to: width, indent: 2)
      }
  }
}

/// A choice that a letter selects.
package protocol LetterChoice: Equatable, Sendable {
  var letter: String { get }
  var label: String { get }
}

/// Choices on the screen, at most one of which is selected.
package struct ChoiceRow<Choice: LetterChoice>: Sendable {
  /// In the order of their letters on the screen.
  let all: [Choice]
  private var selected = ShownSelection<Choice>()

  package init(_ all: [Choice]) { self.all = all }

  package var selection: Choice? { selected.value }

  package mutating func select(_ choice: Choice?) { selected.select(choice) }

  mutating func select(next step: Int) {
    guard let selection, let index = all.firstIndex(of: selection) else {
      return select(step > 0 ? all.first : all.last)
    }
    select(all[(index + step + all.count) % all.count])
  }

  package mutating func wasShown(at now: Duration) { selected.wasShown(at: now) }

  package func isSeen(at now: Duration) -> Bool { selected.isSeen(at: now) }

  // MARK: - View

  private static var gap: Int { 2 }

  /// The mark, the letter, a space and the label.
  private static func width(of choice: Choice) -> Int { choice.label.count + 3 }

  /// The choices in as few rows as their order allows, so that a small window shows the request.
  private func rows(columns: Int) -> [[Choice]] {
    var (rows, used): ([[Choice]], Int) = ([], 0)
    for choice in all {
      let next = used + Self.gap + Self.width(of: choice)
      if rows.isEmpty || next > columns {
        rows.append([choice])
        used = Self.width(of: choice)
      } else {
        rows[rows.count - 1].append(choice)
        used = next
      }
    }
    return rows
  }

  func rowCount(columns: Int) -> Int { rows(columns: columns).count }

  /// The rows; `style` is that of labels that are not selected.
  package func lines(columns: Int, isListening: Bool, _ style: Style) -> [StyledText] {
    let gap = StyledText(String(repeating: " ", count: Self.gap))
    return rows(columns: columns).map { row in
      row.enumerated().reduce(StyledText()) { line, item in
        let isSelected = item.element == selection
        var text = StyledText(isSelected ? "▸" : " ", isSelected ? .name : .dim)
        text.append("\(item.element.letter) ", isListening ? .name : .dim)
        text.append(item.element.label, isSelected ? .name : style)
        return line.with(item.offset > 0 ? gap.with(text) : text)
      }
    }
  }

  /// The place of the selected choice below `top` rows; the first row of all if none is selected.
  package func cursor(columns: Int, below top: Int) -> Cursor {
    guard let selection else { return .focus() }
    let rows = rows(columns: columns)
    let row = rows.firstIndex { $0.contains(selection) } ?? 0
    let before = rows[row].prefix { $0 != selection }
    let column = before.reduce(0) { $0 + Self.width(of: $1) + Self.gap }
    return .focus(row: top + row, column: column)
  }
}
