// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// A change that the user must confirm: the question, its details and consequences, and the effect.
struct ConsoleChange: Sendable, Equatable {
  let question: String
  let details: [String]
  /// One or two words.
  let verb: String
  let effect: ConsoleEffect
  /// The notice after a cancellation.
  var cancelled = "nothing was changed"
  /// The notice until the result is known.
  var confirmed: String?

  /// `session` is `nil` if it is no longer listed.
  static func stop(_ id: BoardSession.ID, _ session: BoardSession?) -> ConsoleChange {
    let subject = session.map { [$0.status.goal ?? "(no message yet)", WorkRows.place(of: $0)] }
    return ConsoleChange(
      question: "Stop the running turn of this session?",
      details: (subject ?? [id.sessionID]) + ["A pending request of the turn is denied."],
      verb: "stop",
      effect: .stop(id),
      cancelled: "not stopped",
      confirmed: "stopping the turn"
    )
  }

  private static let waiting = "waiting for confirmation"

  static func enable(_ shortcut: ShortcutName, _ isOn: Bool) -> ConsoleChange {
    ConsoleChange(
      question: "\(isOn ? "Resume" : "Pause") the schedule of \(shortcut.text)?",
      details: [
        isOn ? "Its prompt is sent at the next scheduled time." : "Its next runs are skipped."
      ],
      verb: isOn ? "resume" : "pause",
      effect: .enable(shortcut, isOn),
      confirmed: waiting
    )
  }

  static func run(_ shortcut: ShortcutName) -> ConsoleChange {
    ConsoleChange(
      question: "Run the shortcut \(shortcut.text) now?",
      details: ["Its prompt is sent at once; the scheduled runs are not affected."],
      verb: "run",
      effect: .runNow(shortcut),
      confirmed: waiting
    )
  }

  /// The removal of what an item shows from its server; `nil` for an item that cannot be removed.
  ///
  /// `server` is the local name.
  static func remove(_ item: SettingsItem, from server: String) -> ConsoleChange? {
    guard item.isRevocable else { return nil }
    switch item.id {
    case .device(let serverID, let deviceID):
      let own = item.isOwn ? ["This is the access of this machine."] : []
      return ConsoleChange(
        question: "End the access of \(item.label) to \(server)?",
        details: ["It must be paired again to get access."] + own,
        verb: "revoke",
        effect: .revoke(deviceID, of: serverID)
      )
    case .rule(let serverID, let ruleID):
      return ConsoleChange(
        question: "Remove this rule from \(server)?",
        details: item.detail.dropFirst().map(\.plain),
        verb: "remove",
        effect: .removeRule(ruleID, of: serverID)
      )
    case .server: return nil
    }
  }

  static func signOut(of server: String, _ id: Fingerprint) -> ConsoleChange {
    ConsoleChange(
      question: "Remove \(server) from this machine?",
      details: [
        "Its credential and cached workspaces are removed here.",
        "Sessions, schedules and other devices stay on the server. The access of this machine ends "
          + "there if the server knows devices; a token of an older server stays valid.",
      ],
      verb: "sign out",
      effect: .signOut(id)
    )
  }
}

/// A change that the user is asked about: Cancel is selected at first, and only Enter confirms.
///
/// Keys within a second after the question appeared are dropped, because they were meant for
/// something else. So is an Enter that follows its selection too closely.
struct ConsoleQuestion: Sendable {
  enum Outcome: Sendable, Equatable {
    /// Nothing is decided; has a notice if the key came before the question or the selection could
    /// be read.
    case waiting(String? = nil)
    case cancelled
    case confirmed(ConsoleEffect)
  }

  private let lines: [StyledText]
  private let verb: String
  private let effect: ConsoleEffect
  /// The notices after the answer.
  private var cancelled = ""
  private var confirmed: String?
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
      return .waiting("read the question first; keys count after 1 s")
    }
    switch key {
    case .text("y"), .down, .right: select(true)
    case .up, .left: select(false)
    case .tab: select(!isSelected)
    case .enter where !isSelected: return .cancelled
    case .enter where Self.isSeen(selectedAt, for: ApprovalPolicy.selectionGlance, at: pressed):
      return .confirmed(effect)
    case .enter: return .waiting("'\(verb)' is selected; Enter confirms")
    case .text("n"), .text("q"), .escape, .control("c"): return .cancelled
    default: break
    }
    return .waiting()
  }

  private static func isSeen(_ shown: Duration?, for time: Duration, at pressed: Duration) -> Bool {
    shown.map { pressed >= $0 + time } ?? false
  }

  /// The choices are always visible, and the cursor stands on the selected one.
  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock {
    let choices = [
      choice("n", "cancel", isSelected: !isSelected), choice("y", verb, isSelected: isSelected),
    ]
    let folded = lines.flatMap { $0.folded(to: size.columns) }
      .prefix(max(0, size.rows - choices.count))
    return ScreenBlock(
      lines: folded + choices.map { $0.truncated(to: size.columns) },
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
      KeyHint("y", "select '\(verb)'"), KeyHint("Enter", isSelected ? verb : "cancel"),
      KeyHint("Esc", "cancel"),
    ]
  }
}

extension ConsoleQuestion: ListPage {
  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    switch take(key, at: model.moment) {
    case .waiting(let notice):
      if let notice { model.note = notice }
      return .stays()
    case .cancelled:
      model.note = cancelled
      return .closes()
    case .confirmed(let effect):
      model.note = confirmed
      return .closes([effect])
    }
  }
}
