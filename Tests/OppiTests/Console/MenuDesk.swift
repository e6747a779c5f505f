// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import Testing

@testable import Oppi

/// The menu of the console with a clock and servers, without a terminal or a network.
struct MenuDesk {
  private(set) var menu: ConsoleMenu
  private(set) var now = Duration.zero
  /// What was printed since the last line of the user.
  private(set) var printed: [String] = []
  private(set) var hasLeft = false

  init(isReadOnly: Bool = false) {
    menu = ConsoleMenu(
      isReadOnly: isReadOnly,
      now: ConsoleDesk.begin,
      width: 80,
      newID: ChatDesk.counter()
    )
    receive(.paired([(ConsoleDesk.studio, "studio")]))
  }

  @discardableResult
  mutating func receive(_ news: ConsoleNews) -> [ConsoleEffect] {
    update(.news(news))
  }

  /// The server answers with these requests and sessions.
  @discardableResult
  mutating func answer(
    _ requests: [ListedRequest] = [],
    sessions: [SessionStatus] = []
  ) -> [ConsoleEffect] {
    let time = ConsoleDesk.begin.moved(by: now)
    let answer = ConsoleBoard.Answer(at: time, requests: requests, sessions: sessions)
    return receive(.looked(ConsoleDesk.studio, .success(answer)))
  }

  @discardableResult
  mutating func type(_ lines: String..., after pause: Duration = .seconds(2)) -> [ConsoleEffect] {
    lines.flatMap { line in
      wait(pause)
      printed = []
      return update(.line(line))
    }
  }

  @discardableResult
  mutating func wait(_ time: Duration) -> [ConsoleEffect] {
    now += time
    return update(.tick)
  }

  mutating func interrupt() { _ = update(.interrupted(hasDraft: false)) }

  private mutating func update(_ event: LineEvent<ConsoleNews>) -> [ConsoleEffect] {
    let time = ConsoleDesk.begin.moved(by: now)
    var others: [ConsoleEffect] = []
    for effect in menu.update(event, at: now, time) {
      switch effect {
      case .print(let lines): printed += lines.map(\.plain)
      case .perform(let effect): others.append(effect)
      case .leave: hasLeft = true
      default: break
      }
    }
    _ = menu.update(.shown, at: now, time)
    return others
  }

  func prints(_ text: String) -> Bool { printed.contains { $0.contains(text) } }
}
