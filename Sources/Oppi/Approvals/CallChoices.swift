// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A choice for a tool call.
enum CallChoice: CaseIterable, Sendable {
  case allowOnce
  case allowForSession
  case deny
  case denyWithReason

  var letter: String {
    switch self {
    case .allowOnce: "a"
    case .allowForSession: "s"
    case .deny: "d"
    case .denyWithReason: "r"
    }
  }

  /// The same choice has the same number in every request.
  fileprivate var number: Int { 1 + (Self.allCases.firstIndex(of: self) ?? 0) }

  var label: String {
    switch self {
    case .allowOnce: "allow once"
    case .allowForSession: "allow for this session"
    case .deny: "deny"
    case .denyWithReason: "deny with a reason"
    }
  }

  /// A denial with a reason is also a denial.
  var decision: PermissionDecision {
    switch self {
    case .allowOnce: .allow
    case .allowForSession: .allowForSession
    case .deny, .denyWithReason: .deny
    }
  }

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
  /// In the order of their letters on the screen.
  private let offered: [CallChoice]
  private(set) var selection: CallChoice?
  /// When the current selection was first on the screen.
  private var selectionShownAt: Duration?
  /// The letter that selected a choice, while it may still be the start of a word.
  private var letter: (text: String, until: Duration)?
  /// The request wrapped to a width, stored because a long one takes time.
  private var folded: (columns: Int, rows: [StyledText]) = (0, [])

  init(of request: PermissionRequest, offering offered: [CallChoice]) {
    (self.request, self.offered) = (request, offered)
  }

  mutating func deselect() { (selection, selectionShownAt, letter) = (nil, nil, nil) }

  mutating func wasShown(at now: Duration) {
    if selection != nil { selectionShownAt = selectionShownAt ?? now }
  }

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
    case .left: select(next: -1)
    case .right, .tab: select(next: 1)
    case .enter: return confirm(at: now)
    case .text(let text): return type(text, at: now)
    default: return .typed(before: typing(at: now))
    }
    letter = nil
    return .taken
  }

  private mutating func type(_ text: String, at now: Duration) -> RequestPanel.Outcome {
    let isFirst = letter.map { $0.until <= now } ?? true
    guard isFirst, let choice = offered.first(where: { $0.letter == text }) else {
      return .typed(before: typing(at: now))
    }
    select(choice)
    if choice == .denyWithReason { return choice.outcome }
    letter = (text, now + TypingGate.rest)
    return .taken
  }

  /// Selects nothing, because a key was typing; returns the letter that was typed just before it.
  mutating func typing(at now: Duration) -> String {
    let before = letter.flatMap { $0.until > now ? $0.text : nil } ?? ""
    (selection, letter) = (nil, nil)
    return before
  }

  private mutating func select(_ choice: CallChoice) {
    if selection != choice { selectionShownAt = nil }
    selection = choice
  }

  private mutating func select(next step: Int) {
    let all = offered
    guard let selection, let index = all.firstIndex(of: selection) else {
      if let choice = step > 0 ? all.first : all.last { select(choice) }
      return
    }
    select(all[(index + step + all.count) % all.count])
  }

  private func confirm(at now: Duration) -> RequestPanel.Outcome {
    guard let selection else {
      return .refused("nothing is selected; select with a letter or an arrow, confirm with Enter")
    }
    guard let selectionShownAt, now >= selectionShownAt + ApprovalPolicy.selectionGlance else {
      return .refused("\(selection.label) is selected; Enter confirms")
    }
    return selection.outcome
  }

  // MARK: - View

  /// Wraps the request to the size of the panel.
  mutating func fit(_ size: ScreenSize, in shown: inout ShownRows) {
    if folded.columns != size.columns {
      folded = (size.columns, RequestText.rows(of: request, width: size.columns))
    }
    shown.fit(folded.rows.count, room: size.rows - choiceRows(columns: size.columns).count - 1)
  }

  func view(
    in shown: ShownRows,
    status: StyledText,
    _ size: ScreenSize,
    isListening: Bool
  ) -> ScreenBlock {
    let rows = choiceRows(columns: size.columns)
    let gap = String(repeating: " ", count: Self.choiceGap)
    let choices = rows.map { row in
      row.enumerated().reduce(StyledText()) { line, item in
        line.with(StyledText(item.offset > 0 ? gap : ""))
          .with(text(of: item.element, isListening: isListening))
      }
    }
    return ScreenBlock(
      lines: folded.rows[shown.visible] + [status] + choices,
      cursor: selection.map { cursor(on: $0, in: rows, below: shown.visible.count + 1) } ?? (0, 0)
    )
  }

  private func cursor(
    on selection: CallChoice,
    in rows: [[CallChoice]],
    below top: Int
  ) -> (row: Int, column: Int) {
    let row = rows.firstIndex { $0.contains(selection) } ?? 0
    let before = rows[row].prefix { $0 != selection }
    return (top + row, before.reduce(0) { $0 + Self.width(of: $1) + Self.choiceGap })
  }

  private func text(of choice: CallChoice, isListening: Bool) -> StyledText {
    let isSelected = choice == selection
    var text = StyledText(isSelected ? "▸" : " ", isSelected ? .name : .dim)
    text.append("\(choice.letter) ", isListening ? .code : .dim)
    text.append(choice.label, isSelected ? .name : isListening ? .plain : .dim)
    return text
  }

  private static let choiceGap = 2

  /// The mark, the letter, a space and the label.
  private static func width(of choice: CallChoice) -> Int { choice.label.count + 3 }

  /// The choices in as few rows as their order allows, so that a small window shows the request.
  private func choiceRows(columns: Int) -> [[CallChoice]] {
    var (rows, used): ([[CallChoice]], Int) = ([], 0)
    for choice in offered {
      let next = used + Self.choiceGap + Self.width(of: choice)
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
}

// MARK: - Lines

extension CallChoices {
  /// The choices that the policy allows after the whole text was printed.
  private var allowed: [CallChoice] {
    offered.filter { choice in
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
    offered.first { line == "\($0.number)" || line == $0.label }?.outcome
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
