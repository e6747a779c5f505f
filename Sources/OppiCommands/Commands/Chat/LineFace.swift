// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// Runs a chat line by line on a terminal: for screen readers, and without cursor control.
struct LineFace: ChatFace {
  private var desk: LineDesk
  private var lines: ChatLines

  /// Takes over the terminal of standard input.
  init(_ state: ChatState, in context: Context) throws {
    desk = try LineDesk(in: context)
    lines = ChatLines(state, width: desk.width)
  }

  var state: ChatState { lines.state }

  var source: @Sendable (@escaping TerminalInputTeller<ChatNews>) async -> Void {
    { [desk] tell in await desk.report(tell) }
  }

  mutating func restore() { desk.restore() }

  mutating func handle(
    _ input: TerminalInput<ChatNews>
  ) async throws -> TerminalReaction<ChatEffect> {
    let panelCount = lines.panelCount
    lines.wallNow = desk.wallNow
    var reaction = TerminalReaction<ChatEffect>()
    switch input {
    case .bytes(let bytes, let moment):
      try await take(await desk.inputs(in: bytes), at: desk.time(of: moment), &reaction)
    case .inputEnded: try await perform(lines.leave(at: desk.now), &reaction)
    case .tick: try await perform(lines.woke(at: desk.now), &reaction)
    case .news(let news): try await perform(lines.take(news, at: desk.now), &reaction)
    case .failed(let error): throw error
    case .pause, .signal, .edited: break
    }
    // A line that was begun before the request was printed does not answer it.
    if lines.panelCount != panelCount, lines.panel != nil {
      let early = await desk.takeUnread()
      try await take(early.inputs, at: desk.now, &reaction)
      await desk.tell(ofDraft: early.draft)
    }
    lines.wasShown(at: desk.now)
    return reaction
  }

  private mutating func take(
    _ inputs: [LineDesk.Input],
    at typed: Duration,
    _ reaction: inout TerminalReaction<ChatEffect>
  ) async throws {
    for input in inputs where !reaction.isOver {
      switch input {
      case .line(let line): try await perform(lines.type(line, at: typed), &reaction)
      case .interrupted(let hasDraft):
        try await perform(lines.interrupt(hasDraft: hasDraft, at: typed), &reaction)
      }
    }
  }

  private func perform(
    _ effects: [ChatEffect],
    _ reaction: inout TerminalReaction<ChatEffect>
  ) async throws {
    for effect in effects {
      switch effect {
      case .say(let text): await desk.say(text)
      case .print(let lines): try await desk.print(lines)
      case .leave: reaction.isOver = true
      default: reaction.effects.append(effect)
      }
    }
  }
}
