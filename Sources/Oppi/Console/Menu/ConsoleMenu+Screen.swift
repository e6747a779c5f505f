// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

extension ConsoleMenu: LineScreen {
  mutating func update(
    _ event: LineEvent<ConsoleNews>,
    at now: Duration,
    _ moment: Timestamp
  ) -> [Action] {
    switch event {
    case .line(let line): return type(line, at: now)
    case .interrupted(let hasDraft): return interrupt(hasDraft: hasDraft, at: now)
    case .inputEnded: return end(at: now)
    case .tick: return woke(at: now)
    case .news(let news): return take(news, at: now)
    case .shown:
      wasShown(at: now)
      return []
    }
  }
}

extension LineProgram: ConsoleFace where Content == ConsoleMenu {
  var isUnsettled: Bool { screen.isUnsettled || screen.hasUnknown }
}
