// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem
import OppiTransport

/// A chat line by line, for terminals that can only print, and for screen readers.
struct LineFace: ChatFace {
  private let context: Context
  private var state = ChatState()
  private var plain = PlainActivity()
  private var pending: [UInt8] = []

  init(context: Context) {
    self.context = context
  }

  var reader: @Sendable () async throws -> [UInt8] {
    { [loop = context.loop] in try await Input.nextBytes(on: loop) }
  }

  mutating func restore() {}

  mutating func handle(_ event: ChatRoom.Event) throws -> [ChatState.Effect] {
    switch event {
    case .input(let bytes): return try type(bytes)
    case .inputEnded: return [.leave]
    case .news(.changes(let changes, _), let activity, _),
      .news(.past(let changes), let activity, _):
      state.update(activity)
      for line in changes.flatMap({ plain.lines(for: $0) }) { try context.console.print(line) }
      try ask(after: changes)
    case .news(.lost(let error, _), _, _): context.console.warn(OppiError(error).message)
    case .news: break
    case .settled(.done(let text)): if let text { context.console.status(StyledText(text)) }
    case .settled(.failed(let text, let id)):
      context.console.warn(text)
      if let id { state.reopen(id) }
    case .failed(let error): throw error
    case .told(let settled):
      guard let text = settled.notice else { break }
      context.console.warn(text)
      state.notSent()
    case .held: context.console.status(StyledText("not sent yet: waiting for the session"))
    case .tick, .looked: break
    }
    return []
  }

  private mutating func type(_ bytes: [UInt8]) throws -> [ChatState.Effect] {
    pending += bytes
    var effects: [ChatState.Effect] = []
    while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: pending[..<end], as: UTF8.self).safeLine(limit: .max)
      pending.removeFirst(end + 1)
      if let taken = state.take(.text(line)) {
        effects += taken
      } else if !line.isEmpty {
        effects += state.perform(.send(line))
      }
    }
    return effects.filter {
      if case .say(let text) = $0 {
        context.console.status(StyledText(text))
        return false
      }
      return true
    }
  }

  /// Says which keys answer what has just been asked.
  private func ask(after changes: [ActivityChange]) throws {
    for change in changes {
      switch change {
      case .approvalRequested: try context.console.print("a allows it once, d denies it")
      case .question:
        for line in state.question?.lines() ?? [] { try context.console.print(line.plain) }
        if let prefill = state.question?.prefill {
          try context.console.print(prefill.safeBlock())
        }
      default: break
      }
    }
  }
}
