// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// A change that the user must confirm: the question, its details and consequences, and the effects.
struct ConsoleChange: Sendable, Equatable {
  let question: String
  let details: [String]
  /// One or two words.
  let verb: String
  let effects: [ConsoleEffect]
  /// The notice after a cancellation.
  var cancelled = "nothing was changed"
  /// The notice until the result is known.
  var confirmed: String?

  static func stop(_ sessions: [ListedSession]) -> ConsoleChange {
    let count = sessions.count
    return ConsoleChange(
      question: count == 1
        ? "Stop the running turn of this session?" : "Stop the running turns of \(count) sessions?",
      details: lines(of: sessions) + ["A pending request of the turn is denied."],
      verb: "stop",
      effects: sessions.map { .work(.stop($0.id)) },
      cancelled: "not stopped",
      confirmed: "stopping the turn"
    )
  }

  static func delete(_ sessions: [ListedSession]) -> ConsoleChange {
    let count = sessions.count
    return ConsoleChange(
      question: count == 1
        ? "Delete this session with its conversation?"
        : "Delete these \(count) sessions with their conversations?",
      details: lines(of: sessions) + ["A session that runs or waits is kept."],
      verb: "delete",
      effects: [.work(.delete(sessions.map(\.id)))],
      cancelled: "not deleted",
      confirmed: waiting
    )
  }

  /// Denies requests as they are shown; what changes before that is not denied.
  static func deny(_ requests: [ListedRequest]) -> ConsoleChange {
    ConsoleChange(
      question: "Deny \(requests.count.counted("request"))?",
      details: requests.prefix(listLimit).map { "\($0.approval.call), \($0.place.text)" }
        + more(than: listLimit, of: requests.count),
      verb: "deny",
      effects: requests.map { .reply($0.request.refusal, to: $0, because: nil) },
      cancelled: "not denied",
      confirmed: waiting
    )
  }

  /// The most items that a question names.
  private static let listLimit = 5

  private static func lines(of sessions: [ListedSession]) -> [String] {
    guard sessions.count > 1 else {
      return sessions.flatMap { [$0.status.goal ?? "(no message yet)", $0.place] }
    }
    return sessions.prefix(listLimit).map { "\($0.status.goal ?? $0.status.id), \($0.place)" }
      + more(than: listLimit, of: sessions.count)
  }

  private static func more(than limit: Int, of count: Int) -> [String] {
    count > limit ? ["and \(count - limit) more"] : []
  }

  /// The notice until the result is known.
  static let waiting = "waiting for confirmation"

  static func enable(_ shortcut: ShortcutName, _ isOn: Bool) -> ConsoleChange {
    ConsoleChange(
      question: "\(isOn ? "Resume" : "Pause") the schedule of \(shortcut.text)?",
      details: [
        isOn ? "Its prompt is sent at the next scheduled time." : "Its next runs are skipped."
      ],
      verb: isOn ? "resume" : "pause",
      effects: [.schedule(.enable(shortcut, isOn))],
      confirmed: waiting
    )
  }

  static func run(_ shortcut: ShortcutName) -> ConsoleChange {
    ConsoleChange(
      question: "Run the shortcut \(shortcut.text) now?",
      details: ["Its prompt is sent at once; the scheduled runs are not affected."],
      verb: "run",
      effects: [.schedule(.runNow(shortcut))],
      confirmed: waiting
    )
  }

  /// The removal of what an item shows from its server; `nil` for an item that cannot be removed.
  ///
  /// `server` is the local name.
  static func remove(_ item: SettingsItem, from server: String) -> ConsoleChange? {
    switch item.id {
    case .device(let serverID, let deviceID):
      guard item.isRevocable else { return nil }
      let own = item.isOwn ? ["This is the access of this machine."] : []
      return ConsoleChange(
        question: "End the access of \(item.label) to \(server)?",
        details: ["It must be paired again to get access."] + own,
        verb: "revoke",
        effects: [.settings(.revoke(deviceID, of: serverID))]
      )
    case .rule(let serverID, let ruleID):
      return ConsoleChange(
        question: "Remove this rule from \(server)?",
        details: item.detail.dropFirst().map(\.plain),
        verb: "remove",
        effects: [.settings(.removeRule(ruleID, of: serverID))]
      )
    case .server(let id): return signOut(of: server, id)
    case .setting: return nil
    }
  }

  private static func signOut(of server: String, _ id: Fingerprint) -> ConsoleChange {
    ConsoleChange(
      question: "Remove \(server) from this machine?",
      details: [
        "Its credential and cached workspaces are removed here.",
        "Sessions, schedules and other devices stay on the server. The access of this machine ends "
          + "there if the server knows devices; a token of an older server stays valid.",
      ],
      verb: "sign out",
      effects: [.settings(.signOut(id))]
    )
  }
}

/// A change that the user is asked about: Cancel is selected at first, and only Enter confirms.
///
/// Keys within a second after the question appeared are dropped, because they were meant for
/// something else. So is an Enter that follows its selection too closely. The change is made only
/// after every row of the question was on the screen in the present size.
struct ConsoleQuestion: ListPage {
  let change: ConsoleChange
  /// The question and its consequences.
  private let lines: [StyledText]
  /// The lines in rows of the present size.
  private var rows: [StyledText] = []
  private var shown = ShownRows()
  private var shownAt: Duration?
  /// Has a value while the change is selected.
  private var selection = ShownSelection<Bool>()

  /// `lines` take the place of those of the change.
  init(_ change: ConsoleChange, showing lines: [StyledText]? = nil) {
    self.change = change
    let details = change.details.map { StyledText($0, .dim) }
    self.lines = lines ?? [StyledText(change.question, .warning)] + details
  }

  mutating func wasShown(at now: Duration) {
    shownAt = shownAt ?? now
    selection.wasShown(at: now)
    shown.wasShown()
  }

  /// Rows that were never shown may appear in another size: then it counts as new.
  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel) {
    if shown.resize(columns: size.columns, rows: size.rows) { isShownAgain() }
    rows = lines.flatMap { $0.folded(to: size.columns) }
    let room = max(0, size.rows - Self.choiceRows)
    let place = rows.count > room ? 1 : 0
    shown.fit(rows.count, widest: RequestText.widest(rows), room: room - place)
  }

  private static let choiceRows = 2

  /// After a stop of the program or another tab, the question counts as new.
  mutating func isShownAgain() {
    select(false)
    shownAt = nil
  }

  private var isSelected: Bool { selection.value != nil }

  private mutating func select(_ isSelected: Bool) { selection.select(isSelected ? true : nil) }

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    guard shownAt.isSeen(at: model.moment) else {
      model.note = "read the question first; keys count after 1 s"
      return .stays()
    }
    switch key {
    case .text("y"), .down, .right: select(true)
    case .up, .left: select(false)
    case .tab: select(!isSelected)
    case .pageUp: shown.scroll(byPages: -1)
    case .pageDown: shown.scroll(byPages: 1)
    case .home: shown.scroll(by: -shown.count)
    case .end: shown.scroll(by: shown.count)
    case .enter where isSelected && !shown.isWhole:
      model.note = "not all of the question was shown; read the rest first"
    case .enter where isSelected:
      guard selection.isSeen(at: model.moment) else {
        model.note = "'\(change.verb)' is selected; Enter confirms"
        break
      }
      model.note = change.confirmed
      return .closes(change.effects)
    case .enter, .text("n"), .text("q"), .escape, .control("c"):
      model.note = change.cancelled
      return .closes()
    default: break
    }
    return .stays()
  }

  /// The choices are always visible, and the cursor stands on the selected one.
  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock {
    let choices = [
      choice("n", "cancel", isSelected: !isSelected),
      choice("y", change.verb, isSelected: isSelected),
    ]
    let place = shown.place.truncated(to: size.columns)
    let above = rows[shown.visible] + (place.isEmpty ? [] : [place])
    return ScreenBlock(lines: choices, cursor: .focus(row: isSelected ? 1 : 0)).below(Array(above))
  }

  private func choice(_ letter: String, _ label: String, isSelected: Bool) -> StyledText {
    var text = StyledText(isSelected ? "▸" : " ", isSelected ? .name : .dim)
    text.append("\(letter) ", .name)
    text.append(label, isSelected ? .name : .plain)
    return text
  }

  var hints: [KeyHint] {
    [
      KeyHint("y", "select '\(change.verb)'"),
      KeyHint("Enter", isSelected ? change.verb : "cancel"), KeyHint("Esc", "cancel"),
    ]
  }
}
