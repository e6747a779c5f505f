// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// A text for a session, while it is typed: a message, the prompt of a failed turn, or a name.
///
/// Enter sends nothing within a second after the field appeared: keys that were typed ahead were
/// meant for what was on the screen before.
struct ReplyField: ListPage {
  enum Purpose: Sendable, Equatable {
    case reply
    /// Send the prompt of the last turn again; it can be changed before.
    case retry
    case rename

    fileprivate var title: String {
      switch self {
      case .reply: "Message to"
      case .retry: "New attempt in"
      case .rename: "New name of"
      }
    }

    /// What the typed text does to a session.
    func effect(of text: String, on id: ListedSession.ID) -> ConsoleEffect {
      switch self {
      case .reply, .retry: .send(text, to: id)
      case .rename: .work(.rename(id, to: text.safeLine(limit: 200).trimmed))
      }
    }
  }

  static let tooEarlyNotice = "not sent: read where it goes, and press Enter again after 1 s"

  private let purpose: Purpose
  private let id: ListedSession.ID
  /// The session as a search found it, which may be too old to be listed.
  private let found: ListedSession?
  private var composer: Composer
  private var shownAt: Duration?
  /// Whether the prompt is still being read.
  private var isReading: Bool
  /// What is not as expected about the prompt.
  private var note: String?

  /// `draft` is an earlier message that was not sent, or the present name.
  init(_ purpose: Purpose, to id: ListedSession.ID, _ found: ListedSession?, draft: String?) {
    (self.purpose, self.id, self.found) = (purpose, id, found)
    isReading = purpose == .retry
    composer = purpose == .rename ? .oneLine : Composer(foldsPastes: true)
    if let draft { composer.replace(draft) }
  }

  var hints: [KeyHint] {
    let newLine = purpose == .rename ? [] : [KeyHint("Alt-Enter", "new line")]
    return [KeyHint("Enter", purpose == .rename ? "rename" : "send")] + newLine
      + composer.pasteHints + [KeyHint("Esc", "cancel")]
  }

  var opening: [ConsoleEffect] { isReading ? [.work(.read(id, turns: 1))] : [] }

  mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// After a stop of the program or another tab, the field counts as new.
  mutating func isShownAgain() { shownAt = nil }

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    guard key != .escape, key != .control("c") else {
      if purpose == .reply { model.drafts.keep(composer.text, for: id) }
      return .closes()
    }
    guard !isReading else { return .stays() }
    guard key != .enter || shownAt.isSeen(at: model.moment) else {
      model.note = Self.tooEarlyNotice
      return .stays()
    }
    guard case .send(let text)? = composer.apply(key) else { return .stays() }
    return .closes([purpose.effect(of: text, on: id)])
  }

  /// Takes the prompt of the last turn, which then counts as just shown.
  mutating func take(_ news: ConsoleNews, in model: ConsoleModel) -> [ConsoleEffect] {
    guard isReading, case .conversation(id, turns: 1, let result)? = news.own(WorkNews.self)
    else { return [] }
    (isReading, shownAt) = (false, nil)
    switch result {
    case .success(let turns):
      composer.replace(turns.last?.prompt ?? "")
      if turns.last?.prompt == nil { note = "the prompt is not known; type it again" }
      let images = turns.last?.imageCount ?? 0
      if images > 0 { note = "without its \(images.counted("image"))" }
    case .failure(let error): note = error.message
    }
    return []
  }

  /// The field below the session that gets the text.
  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock {
    let session = model.board.session(id) ?? found
    let place = session?.place ?? id.sessionID
    var lines = [StyledText("\(purpose.title) \(place)", .heading)]
    if let session {
      lines += session.detail(width: size.columns, at: model.now)
    }
    if session?.phase == .running, purpose != .rename {
      lines.append(StyledText("queued behind the running turn", .dim))
    }
    if isReading { lines.append(StyledText("reading the prompt…", .dim)) }
    if let note { lines.append(StyledText(note, .warning)) }
    return composer.field("› ", below: lines, size, maxRows: size.rows / 2)
  }
}

/// Messages that were not sent, by session; none replaces another.
struct UnsentTexts: Sendable {
  private var texts: [ListedSession.ID: String] = [:]

  /// The number of sessions with a text.
  var count: Int { texts.count }

  subscript(id: ListedSession.ID) -> String? { texts[id] }

  /// Adds a text below those that the session has already.
  mutating func keep(_ text: String, for id: ListedSession.ID) {
    guard !text.isEmpty else { return }
    texts[id] = texts[id].map { "\($0)\n\(text)" } ?? text
  }

  /// Removes and returns the text of a session.
  mutating func take(_ id: ListedSession.ID) -> String? { texts.removeValue(forKey: id) }
}
