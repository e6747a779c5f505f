// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiTurns
import OppiWire

/// A message to a session, while it is typed.
///
/// Enter sends nothing within a second after the field appeared: keys that were typed ahead were
/// meant for what was on the screen before.
struct ReplyField: ListPage {
  static let tooEarlyNotice =
    "not sent: the session changed; check it and press Enter again"

  private let id: ListedSession.ID
  /// The session as a search found it, which may be too old to be listed.
  private let found: ListedSession?
  private var composer = Composer()
  private var shownAt: Duration?

  /// `draft` is an earlier message that was not sent.
  init(to id: ListedSession.ID, _ found: ListedSession?, draft: String?) {
    (self.id, self.found) = (id, found)
    if let draft { composer.replace(draft) }
  }

  let hints = [
    KeyHint("Enter", "send"), KeyHint("Alt-Enter", "new line"), KeyHint("Esc", "cancel"),
  ]

  mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// After a stop of the program or another tab, the field counts as new.
  mutating func isShownAgain() { shownAt = nil }

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    guard key != .escape, key != .control("c") else {
      model.drafts.keep(composer.text, for: id)
      return .closes()
    }
    guard key != .enter || shownAt.isSeen(at: model.moment) else {
      model.note = Self.tooEarlyNotice
      return .stays()
    }
    guard case .send(let text)? = composer.apply(key) else { return .stays() }
    return .closes([.send(text, to: id)])
  }

  /// The field below the session that gets the message.
  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock {
    let session = model.board.session(id) ?? found
    let place = session?.place ?? id.sessionID
    var lines = [StyledText("Message to \(place)", .heading)]
    if let session {
      lines += session.detail(width: size.columns, at: model.now)
    }
    if session?.phase == .running {
      lines.append(StyledText("queued behind the running turn", .dim))
    }
    return composer.field("› ", below: lines, size, maxRows: size.rows / 2)
  }
}

/// Messages that were not sent, by session; none replaces another.
struct UnsentTexts: Sendable {
  private var texts: [ListedSession.ID: String] = [:]

  subscript(id: ListedSession.ID) -> String? { texts[id] }

  /// Adds a text below those that the session has already.
  mutating func keep(_ text: String, for id: ListedSession.ID) {
    guard !text.isEmpty else { return }
    texts[id] = texts[id].map { "\($0)\n\(text)" } ?? text
  }

  /// Removes and returns the text of a session.
  mutating func take(_ id: ListedSession.ID) -> String? { texts.removeValue(forKey: id) }
}
