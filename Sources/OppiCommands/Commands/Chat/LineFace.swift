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
    // A conversation is held in words, also where its end is told as JSON.
    self.context = context.inWords
  }

  var reader: @Sendable () async throws -> [UInt8] {
    { [loop = context.loop] in try await Input.nextBytes(on: loop) }
  }

  mutating func restore() {}

  mutating func handle(_ event: ChatRoom.Event) async throws -> [ChatState.Effect] {
    switch event {
    case .input(let bytes): return try await type(bytes)
    case .inputEnded: return [.leave]
    case .news(.changes(let changes, _), let activity, _),
      .news(.past(let changes), let activity, _):
      state.update(activity)
      try await print(changes.flatMap { plain.lines(for: $0) })
      try await ask(after: changes)
    case .news(.lost(let error, _), _, _): await context.console.warn(OppiError(error).message)
    case .news: break
    case .performed(.done(let text)): if let text { await context.console.status(StyledText(text)) }
    case .performed(.failed(let text, let id)):
      await context.console.warn(text)
      if let id { state.reopen(id) }
    case .failed(let error): throw error
    case .mail(.settled(let settled)):
      guard let text = settled.notice else { break }
      await context.console.warn(text)
      state.notSent()
    case .held: await context.console.status(StyledText("not sent yet: waiting for the session"))
    case .tick, .mail(.looked): break
    }
    return []
  }

  private mutating func type(_ bytes: [UInt8]) async throws -> [ChatState.Effect] {
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
    var remote: [ChatState.Effect] = []
    for effect in effects {
      if case .say(let text) = effect {
        await context.console.status(StyledText(text))
      } else {
        remote.append(effect)
      }
    }
    return remote
  }

  private func print(_ lines: [String]) async throws {
    try await context.console.print(.step([], .lines(lines.map { StyledText($0) })))
  }

  /// Says which keys answer what has just been asked.
  private func ask(after changes: [ActivityChange]) async throws {
    for change in changes {
      switch change {
      case .approvalRequested: try await print(["a allows it once, d denies it"])
      case .question:
        try await print(state.question?.lines().map(\.plain) ?? [])
        if let prefill = state.question?.prefill { try await print([prefill.safeBlock()]) }
      default: break
      }
    }
  }
}
