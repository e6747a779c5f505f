// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiWire

/// The past decisions in a session, scrolled by keys.
struct DecisionLog: ListPage {
  private let id: ListedSession.ID
  /// `nil` until they were read.
  private var lines: [StyledText]?
  private var failure: String?
  private var scroll = DetailScroll()

  init(of id: ListedSession.ID) { self.id = id }

  var opening: [ConsoleEffect] { [.work(.readLog(id))] }

  let hints = [KeyHint("↑ ↓", "scroll"), KeyHint("Esc", "back to the list")]

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    scroll.take(key) ? .stays() : .closes()
  }

  mutating func take(_ news: ConsoleNews, in model: ConsoleModel) -> [ConsoleEffect] {
    guard case .log(id, let result)? = news.own(WorkNews.self) else { return [] }
    switch result {
    case .success(let lines): (self.lines, failure) = (lines, nil)
    case .failure(let error): failure = error.message
    }
    return []
  }

  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel) {
    scroll.fit(rows(size).count, room: size.rows - 2)
  }

  private func rows(_ size: ScreenSize) -> [StyledText] {
    (lines ?? []).flatMap { $0.folded(to: size.columns) }
  }

  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock {
    let place = model.board.session(id)?.place ?? id.sessionID
    let head = StyledText("Decisions in \(place)", .heading).truncated(to: size.columns)
    let state =
      failure.map { StyledText($0, .error) }
      ?? StyledText(lines == nil ? "reading…" : lines == [] ? "no decisions" : "", .dim)
    return ScreenBlock(lines: [head] + rows(size).shown(scroll) + [state], cursor: .focus())
  }
}
