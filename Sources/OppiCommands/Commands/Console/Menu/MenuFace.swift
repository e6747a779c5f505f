// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// Runs the console as a line menu on a terminal.
struct MenuFace: ConsoleFace {
  private var desk: LineDesk
  private var menu: ConsoleMenu

  /// Takes over the terminal of standard input.
  init(isReadOnly: Bool, in context: Context) throws {
    desk = try LineDesk(in: context)
    menu = ConsoleMenu(isReadOnly: isReadOnly, now: context.now(), width: desk.width) {
      [loop = context.loop] in loop.newID()
    }
  }

  var isUnsettled: Bool { menu.isUnsettled }

  var source: @Sendable (@escaping TerminalInputTeller<ConsoleNews>) async -> Void {
    { [desk] tell in await desk.report(tell) }
  }

  mutating func restore() { desk.restore() }

  mutating func handle(
    _ input: TerminalInput<ConsoleNews>
  ) async throws -> TerminalReaction<ConsoleEffect> {
    let panelCount = menu.panelCount
    var reaction = TerminalReaction<ConsoleEffect>()
    switch input {
    case .bytes(let bytes, let moment):
      try await take(await desk.inputs(in: bytes), at: desk.time(of: moment), &reaction)
    case .inputEnded: try await perform(menu.end(at: desk.now), &reaction)
    case .tick: try await perform(menu.woke(at: desk.now), &reaction)
    case .news(let news): try await perform(menu.take(news, at: desk.now), &reaction)
    case .failed(let error): throw error
    case .pause, .signal, .edited: break
    }
    // A line that was begun before the text was printed does not answer it.
    if menu.panelCount != panelCount {
      let early = await desk.takeUnread()
      try await take(early.inputs, at: desk.now, &reaction)
      await desk.tell(ofDraft: early.draft)
    }
    menu.wasShown(at: desk.now)
    return reaction
  }

  private mutating func take(
    _ inputs: [LineDesk.Input],
    at typed: Duration,
    _ reaction: inout TerminalReaction<ConsoleEffect>
  ) async throws {
    for input in inputs where !reaction.isOver {
      switch input {
      case .line(let line): try await perform(menu.type(line, at: typed), &reaction)
      case .interrupted(let hasDraft):
        try await perform(menu.interrupt(hasDraft: hasDraft, at: typed), &reaction)
      }
    }
  }

  private func perform(
    _ effects: [ConsoleMenu.Effect],
    _ reaction: inout TerminalReaction<ConsoleEffect>
  ) async throws {
    for effect in effects {
      switch effect {
      case .print(let lines): try await desk.print(lines)
      case .perform(let effect): reaction.effects.append(effect)
      case .leave: reaction.isOver = true
      }
    }
  }
}
