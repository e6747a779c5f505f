// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

extension ChatLines: LineScreen {
  mutating func update(
    _ event: LineEvent<ChatNews>,
    at now: Duration,
    _ moment: Timestamp
  ) -> [LineEffect<ChatEffect>] {
    wallNow = moment
    return effects(of: event, at: now).map { effect in
      switch effect {
      case .say(let text): .say(text)
      case .print(let lines): .print(lines)
      case .leave: .leave
      default: .perform(effect)
      }
    }
  }

  private mutating func effects(of event: LineEvent<ChatNews>, at now: Duration) -> [ChatEffect] {
    switch event {
    case .line(let line): return type(line, at: now)
    case .interrupted(let hasDraft): return interrupt(hasDraft: hasDraft, at: now)
    case .inputEnded: return leave(at: now)
    case .tick: return woke(at: now)
    case .news(let news): return take(news, at: now)
    case .shown:
      wasShown(at: now)
      return []
    }
  }
}

extension LineProgram: ChatFace where Content == ChatLines {
  var state: ChatState { screen.state }
}
