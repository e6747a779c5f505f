// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The request that a person decides on, in the composer's place; no input or output.
///
/// Letters and arrows select, and Enter alone confirms. Whoever is typing goes on with the message:
/// the panel takes no key before a second has passed without one, and two letters in a row are
/// typing, too.
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

    var allows: Bool { self == .allowOnce || self == .allowForSession }
  }

  /// What a key has come to.
  enum Outcome: Sendable, Equatable {
    case taken
    case confirmed(Choice)
    /// Enter does nothing, and why.
    case unconfirmed(String)
    /// The key belongs to the message that is being written, with what was typed just before.
    case typed(before: String)
  }

  /// Nobody who types a message rests for so long.
  private static let rest = Duration.seconds(1)
  /// Nobody reads what is selected in less.
  private static let glance = Duration.milliseconds(250)

  /// In fewer no row can be told from the next.
  private static let leastColumns = 8

  let request: PermissionRequest
  private(set) var selection: Choice?
  private var selectedAt = Duration.zero
  /// The letter that has selected, as long as it may be the first of a word.
  private var letter: (text: String, until: Duration)?
  /// When the panel listens, unless it does already.
  private var listensAt: Duration
  private var isListening = false
  private var firstRow = 0
  private var visibleRows = 0
  /// The request folded to a width, which takes a while where it is long.
  private var folded: (columns: Int, rows: [StyledText]) = (0, [])
  private var isEndSeen = false

  /// Makes the panel of a request that is shown from now on, a moment since some beginning.
  init(_ request: PermissionRequest, at now: Duration) {
    self.request = request
    listensAt = now + Self.rest
  }

  // MARK: Keys

  mutating func take(_ key: Key, at now: Duration) -> Outcome {
    guard isListening || now >= listensAt else { return typing(at: now) }
    isListening = true
    switch key {
    case .up: scroll(by: -1)
    case .down: scroll(by: 1)
    case .pageUp: scroll(by: -max(1, visibleRows - 1))
    case .pageDown: scroll(by: max(1, visibleRows - 1))
    case .home: scroll(by: -folded.rows.count)
    case .end: scroll(by: folded.rows.count)
    case .left: select(next: -1, at: now)
    case .right, .tab: select(next: 1, at: now)
    case .enter: return confirm(at: now)
    case .text(let text): return type(text, at: now)
    default: return typing(at: now)
    }
    letter = nil
    return .taken
  }

  private mutating func type(_ text: String, at now: Duration) -> Outcome {
    let isFirst = letter.map { $0.until <= now } ?? true
    guard isFirst, let choice = Choice.allCases.first(where: { $0.letter == text }) else {
      return typing(at: now)
    }
    select(choice, at: now)
    letter = (text, now + Self.rest)
    return .taken
  }

  private mutating func typing(at now: Duration) -> Outcome {
    let before = letter.flatMap { $0.until > now ? $0.text : nil } ?? ""
    (selection, letter, isListening) = (nil, nil, false)
    listensAt = now + Self.rest
    return .typed(before: before)
  }

  private mutating func select(_ choice: Choice, at now: Duration) {
    (selection, selectedAt) = (choice, now)
  }

  private mutating func select(next step: Int, at now: Duration) {
    let all = Choice.allCases
    guard let selection, let index = all.firstIndex(of: selection) else {
      return select(step > 0 ? .allowOnce : .denyWithReason, at: now)
    }
    select(all[(index + step + all.count) % all.count], at: now)
  }

  private func confirm(at now: Duration) -> Outcome {
    guard let selection else {
      return .unconfirmed("nothing is selected: a letter or an arrow selects, Enter confirms")
    }
    guard now >= selectedAt + Self.glance else {
      return .unconfirmed("\(selection.label) is selected: Enter confirms it")
    }
    if selection.allows {
      guard request.isWhole else {
        return .unconfirmed("it cannot be allowed here: it is too long to be shown whole")
      }
      guard isEndSeen else {
        return .unconfirmed("it can be allowed once its end was on the screen: PageDown")
      }
    }
    return .confirmed(selection)
  }

  // MARK: Picture

  private mutating func scroll(by rows: Int) {
    firstRow = min(max(0, firstRow + rows), max(0, folded.rows.count - visibleRows))
  }

  /// Fits the request into a screen, and takes note whether its end can be seen.
  mutating func fit(columns: Int, rows: Int) {
    if folded.columns != columns {
      folded = (columns, RequestText.rows(of: request, width: columns))
    }
    let rowCount = folded.rows.count
    // Where there is no room for a single row of it, nothing of it is seen.
    let room = columns < Self.leastColumns ? 0 : rows - Self.rowsOfChoices(columns: columns) - 1
    visibleRows = min(rowCount, max(0, room))
    scroll(by: 0)
    isEndSeen = isEndSeen || (visibleRows > 0 && firstRow + visibleRows >= rowCount)
  }

  /// The rows for the screen that it was fitted into last.
  func view(columns: Int, now: Timestamp) -> [StyledText] {
    let shown = folded.rows.dropFirst(firstRow).prefix(visibleRows)
    return shown + [place(of: shown.count, now: now)] + choices(columns: columns)
  }

  /// Which rows are shown, and how long there is to decide.
  private func place(of shown: Int, now: Timestamp) -> StyledText {
    let (count, below) = (folded.rows.count, folded.rows.count - firstRow - shown)
    var line = StyledText()
    if below > 0 {
      line.append(
        "rows \(firstRow + 1)-\(firstRow + shown) of \(count), PageDown shows more",
        .warning
      )
    } else if count > shown {
      line.append("rows \(firstRow + 1)-\(count) of \(count)", .dim)
    }
    if let deadline = request.timeoutAt {
      let left = max(0, (deadline.milliseconds - now.milliseconds) / 1000)
      if !line.isEmpty { line.append("; ", .dim) }
      line.append("denied by itself in \(ElapsedTime.text(.seconds(left)))", .dim)
    }
    return line
  }

  private func choices(columns: Int) -> [StyledText] {
    let choices = Choice.allCases.map { choice in
      let isSelected = choice == selection
      var text = StyledText(isSelected ? "▸" : " ", isSelected ? .name : .dim)
      text.append("\(choice.letter) ", .code)
      text.append(choice.label, isSelected ? .name : .plain)
      return text
    }
    guard Self.rowsOfChoices(columns: columns) == 1 else { return choices }
    return [choices.dropFirst().reduce(choices[0]) { $0.with(StyledText("  ")).with($1) }]
  }

  /// All choices on one row where that is wide enough.
  private static func rowsOfChoices(columns: Int) -> Int {
    let width = Choice.allCases.reduce(0) { $0 + $1.label.count + 5 }
    return width <= columns ? 1 : Choice.allCases.count
  }
}
