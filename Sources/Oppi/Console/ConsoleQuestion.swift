// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A change that the user is asked about: Cancel is selected at first, and only Enter confirms.
///
/// Keys within a second after the question appeared are dropped, because they were meant for
/// something else. So is an Enter that follows its selection too closely.
struct ConsoleQuestion: Sendable {
  enum Outcome: Sendable, Equatable {
    case waiting
    /// The key came before the question could be read.
    case tooEarly
    /// Enter came before the selection could be read.
    case unconfirmed(String)
    case cancelled
    case confirmed(ConsoleEffect)
  }

  private let lines: [StyledText]
  private let verb: String
  private let effect: ConsoleEffect
  /// The notices after the answer.
  private var cancelled = ""
  private var confirmed: String?
  private var size = ScreenSize(columns: 80, rows: 20)
  private var isSelected = false
  private var shownAt: Duration?
  /// When the change was first on the screen as the selection.
  private var selectedAt: Duration?

  /// `lines` are the question and its consequences; `verb` names the change in one or two words.
  init(_ lines: [StyledText], verb: String, _ effect: ConsoleEffect) {
    (self.lines, self.verb, self.effect) = (lines, verb, effect)
  }

  init(_ change: ConsoleChange) {
    let details = change.details.map { StyledText($0, .dim) }
    self.init(
      [StyledText(change.question, .warning)] + details,
      verb: change.verb,
      change.effect
    )
    (cancelled, confirmed) = (change.cancelled, change.confirmed)
  }

  mutating func wasShown(at now: Duration) {
    shownAt = shownAt ?? now
    if isSelected { selectedAt = selectedAt ?? now }
  }

  /// After a stop of the program or another tab, the question counts as new.
  mutating func isShownAgain() {
    select(false)
    shownAt = nil
  }

  private mutating func select(_ isSelected: Bool) {
    if self.isSelected != isSelected { selectedAt = nil }
    self.isSelected = isSelected
  }

  mutating func take(_ key: Key, at pressed: Duration) -> Outcome {
    guard Self.isSeen(shownAt, for: ApprovalPolicy.typingPause, at: pressed) else {
      return .tooEarly
    }
    switch key {
    case .text("y"), .down, .right: select(true)
    case .up, .left: select(false)
    case .tab: select(!isSelected)
    case .enter where !isSelected: return .cancelled
    case .enter where Self.isSeen(selectedAt, for: ApprovalPolicy.selectionGlance, at: pressed):
      return .confirmed(effect)
    case .enter: return .unconfirmed("'\(verb)' is selected; Enter confirms")
    case .text("n"), .text("q"), .escape, .control("c"): return .cancelled
    default: break
    }
    return .waiting
  }

  private static func isSeen(_ shown: Duration?, for time: Duration, at pressed: Duration) -> Bool {
    shown.map { pressed >= $0 + time } ?? false
  }

  /// The notice after a key that came too early.
  static let tooEarlyNotice = "read the question first; keys count after 1 s"

  /// The view in a size; the choices are always visible, and the cursor stands on the selected one.
  func view(width: Int, rows: Int) -> ScreenBlock {
    let choices = [
      choice("n", "cancel", isSelected: !isSelected), choice("y", verb, isSelected: isSelected),
    ]
    let folded = lines.flatMap { $0.folded(to: max(1, width)) }
      .prefix(max(0, rows - choices.count))
    return ScreenBlock(
      lines: folded + choices.map { $0.truncated(to: max(1, width)) },
      cursor: (folded.count + (isSelected ? 1 : 0), 0)
    )
  }

  private func choice(_ letter: String, _ label: String, isSelected: Bool) -> StyledText {
    var text = StyledText(isSelected ? "▸" : " ", isSelected ? .name : .dim)
    text.append("\(letter) ", .code)
    text.append(label, isSelected ? .name : .plain)
    return text
  }

  var hints: [KeyHint] {
    [
      .init(keys: "y", label: "select '\(verb)'"),
      .init(keys: "Enter", label: isSelected ? verb : "cancel"),
      .init(keys: "Esc", label: "cancel"),
    ]
  }
}

extension ConsoleQuestion: ListPage {
  mutating func take(
    _ key: Key,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> PageOutcome {
    switch take(key, at: pressed) {
    case .waiting: break
    case .tooEarly: model.note = Self.tooEarlyNotice
    case .unconfirmed(let why): model.note = why
    case .cancelled:
      model.note = cancelled
      return .closes()
    case .confirmed(let effect):
      model.note = confirmed
      return .closes([effect])
    }
    return .stays()
  }

  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel) { self.size = size }

  func view(in model: ConsoleModel) -> ScreenBlock { view(width: size.columns, rows: size.rows) }
}
