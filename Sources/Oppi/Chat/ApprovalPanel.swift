// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The panel for a pending request, in place of the composer; performs no input or output.
///
/// Letters and arrows select; only Enter confirms. Keys that belong to typing go to the draft: keys
/// within a second of the previous one, and two letters in a row.
struct ApprovalPanel: Sendable {
  enum Choice: CaseIterable, Sendable {
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
  }

  typealias Outcome = PanelOutcome<Choice>

  let request: PermissionRequest
  /// In the order of their letters on the screen.
  let offered: [Choice]
  private(set) var selection: Choice?
  /// When the current selection was first on the screen.
  private var selectionShownAt: Duration?
  /// The letter that selected a choice, while it may still be the start of a word.
  private var letter: (text: String, until: Duration)?
  private var gate = TypingGate()
  private var shown = ShownRows()
  /// The request wrapped to a width, stored because a long one takes time.
  private var folded: (columns: Int, rows: [StyledText]) = (0, [])

  init(_ request: PermissionRequest, offering offered: [Choice] = Choice.allCases) {
    (self.request, self.offered) = (request, offered)
  }

  /// Whether keys go to the panel, as of the last call with a time.
  private var listens: Bool { gate.isOpen }

  /// Why keys do not go to the panel; `nil` if they do.
  var closedNotice: String? { listens ? nil : TypingGate.words }

  mutating func wait(at now: Duration) { gate.wait(at: now) }

  // MARK: Keys

  mutating func take(_ key: Key, at now: Duration) -> Outcome {
    guard gate.lets(at: now) else { return typing(at: now) }
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
    default: return typing(at: now)
    }
    letter = nil
    return .taken
  }

  private mutating func type(_ text: String, at now: Duration) -> Outcome {
    let isFirst = letter.map { $0.until <= now } ?? true
    guard isFirst, let choice = offered.first(where: { $0.letter == text }) else {
      return typing(at: now)
    }
    select(choice)
    // The reason has its own field, and only Enter there decides.
    if choice == .denyWithReason { return .confirmed(choice) }
    letter = (text, now + TypingGate.rest)
    return .taken
  }

  private mutating func typing(at now: Duration) -> Outcome {
    let before = letter.flatMap { $0.until > now ? $0.text : nil } ?? ""
    (selection, letter) = (nil, nil)
    gate.close(at: now)
    return .typed(before: before)
  }

  private mutating func select(_ choice: Choice) {
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

  private func confirm(at now: Duration) -> Outcome {
    guard let selection else {
      return .unconfirmed(
        "nothing is selected; select with a letter or an arrow, confirm with Enter"
      )
    }
    guard let selectionShownAt, now >= selectionShownAt + ApprovalPolicy.selectionGlance else {
      return .unconfirmed("\(selection.label) is selected; Enter confirms")
    }
    let obstacle = ApprovalPolicy.obstacle(
      to: selection.decision,
      request,
      on: .panel(isWholeShown: shown.isWhole)
    )
    return obstacle.map { .unconfirmed($0.notice) } ?? .confirmed(selection)
  }

  // MARK: View

  /// Wraps the request to a size in columns and rows.
  ///
  /// A change of size may show rows that were not seen: then nothing is selected any more, and keys
  /// need a new pause.
  mutating func fit(columns: Int, rows: Int) {
    if shown.resize(columns: columns, rows: rows) {
      (selection, selectionShownAt, letter) = (nil, nil, nil)
      gate = TypingGate()
    }
    if folded.columns != columns {
      folded = (columns, RequestText.rows(of: request, width: columns))
    }
    shown.fit(folded.rows.count, room: rows - choiceRows(columns: columns).count - 1)
  }

  /// Records that the view for the last size was on the screen.
  mutating func wasShown(at now: Duration) {
    gate.wasShown(at: now)
    if selection != nil { selectionShownAt = selectionShownAt ?? now }
    shown.wasShown()
  }

  /// The rows for the last size, none wider than its columns except the status row.
  ///
  /// The time left is shown only with `serverNow`, the time on the server's clock. `folder` is the
  /// call's working directory, safe to show.
  func view(serverNow: Timestamp?, folder: String?) -> [StyledText] {
    folded.rows[shown.visible] + [status(serverNow, folder)] + choices(columns: folded.columns)
  }

  /// The focus for screen readers and Braille displays: the selected choice; before that the
  /// request, so that no choice seems to be selected.
  var cursor: (row: Int, column: Int) {
    guard let selection else { return (0, 0) }
    let rows = choiceRows(columns: folded.columns)
    let row = rows.firstIndex { $0.contains(selection) } ?? 0
    let before = rows[row].prefix { $0 != selection }
    // Above are the visible rows of the request and the status row.
    return (
      shown.visible.count + 1 + row, before.reduce(0) { $0 + Self.width(of: $1) + Self.choiceGap }
    )
  }

  /// The status row: the visible rows, the time left and the folder.
  private func status(_ serverNow: Timestamp?, _ folder: String?) -> StyledText {
    var line = shown.place
    if let deadline = request.timeoutAt, let serverNow {
      let left = max(0, (deadline.milliseconds - serverNow.milliseconds) / 1000)
      if !line.isEmpty { line.append("; ", .dim) }
      line.append("auto-denied in \(ElapsedTime.text(.seconds(left)))", .dim)
    }
    if let folder { line.append(line.isEmpty ? "in \(folder)" : "; in \(folder)", .dim) }
    return line
  }

  private func choices(columns: Int) -> [StyledText] {
    let gap = String(repeating: " ", count: Self.choiceGap)
    return choiceRows(columns: columns).map { row in
      row.enumerated().reduce(StyledText()) { line, item in
        line.with(StyledText(item.offset > 0 ? gap : "")).with(text(of: item.element))
      }
    }
  }

  private func text(of choice: Choice) -> StyledText {
    let isSelected = choice == selection
    var text = StyledText(isSelected ? "▸" : " ", isSelected ? .name : .dim)
    text.append("\(choice.letter) ", listens ? .code : .dim)
    text.append(choice.label, isSelected ? .name : listens ? .plain : .dim)
    return text
  }

  private static let choiceGap = 2

  /// The mark, the letter, a space and the label.
  private static func width(of choice: Choice) -> Int { choice.label.count + 3 }

  /// The choices in as few rows as their order allows, so that a small window shows the request.
  private func choiceRows(columns: Int) -> [[Choice]] {
    var (rows, used): ([[Choice]], Int) = ([], 0)
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
