// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiRendering

/// Runs a ``LineScreen`` on a terminal: for screen readers, and without cursor control.
struct LineProgram<Content: LineScreen>: TerminalFace {
  private var desk: LineDesk
  private(set) var screen: Content
  /// Whether the next line is the rest of a text that was set aside.
  private var isContinued = false
  /// When the line that was begun in the first moment of a request is set aside; `nil` if it was.
  private var settlesAt: Duration?

  /// Takes over the terminal of standard input; `make` gets its width in columns.
  init(in context: Context, _ make: (Int) -> Content) throws {
    desk = try LineDesk(in: context)
    screen = make(desk.width)
  }

  var source: @Sendable (@escaping TerminalInputTeller<Content.News>) async -> Void {
    { [desk] tell in await desk.report(tell) }
  }

  mutating func restore() { desk.restore() }

  mutating func handle(
    _ input: TerminalInput<Content.News>
  ) async throws -> TerminalReaction<Content.Effect> {
    let panelCount = screen.panelCount
    var reaction = TerminalReaction<Content.Effect>()
    switch input {
    case .bytes(let bytes, let moment):
      try await take(await desk.inputs(in: bytes), at: desk.time(of: moment), &reaction)
    case .inputEnded: try await update(.inputEnded, at: desk.now, &reaction)
    case .tick: try await update(.tick, at: desk.now, &reaction)
    case .news(let news): try await update(.news(news), at: desk.now, &reaction)
    case .failed(let error): throw error
    case .pause, .signal, .edited: break
    }
    if screen.panelCount != panelCount {
      try await setAside(&reaction)
      settlesAt = screen.isDeciding ? desk.now + Context.readingPause : nil
    } else if let settlesAt, desk.now >= settlesAt {
      self.settlesAt = nil
      try await setAside(&reaction)
    }
    try await update(.shown, at: desk.now, &reaction)
    return reaction
  }

  /// Takes what was typed before the meaning of a line changed: a line that was begun before a
  /// request was printed does not answer it, and one that was begun as an answer is no message.
  private mutating func setAside(
    _ reaction: inout TerminalReaction<Content.Effect>
  ) async throws {
    let early = await desk.takeUnread()
    try await take(early.inputs, at: desk.now, &reaction)
    guard !early.draft.allSatisfy(\.isWhitespace) else { return }
    isContinued = true
    try await desk.print([StyledText("set aside, not sent: \(early.draft)")])
  }

  private mutating func take(
    _ inputs: [LineDesk.Input],
    at typed: Duration,
    _ reaction: inout TerminalReaction<Content.Effect>
  ) async throws {
    for input in inputs where !reaction.isOver {
      switch input {
      case .line(let line):
        defer { isContinued = false }
        if isContinued, !line.allSatisfy(\.isWhitespace) {
          try await desk.print([StyledText("set aside, too; type it again: \(line)")])
        } else {
          try await update(.line(line), at: typed, &reaction)
        }
      case .interrupted(let hasDraft):
        isContinued = false
        try await update(.interrupted(hasDraft: hasDraft), at: typed, &reaction)
      }
    }
  }

  private mutating func update(
    _ event: LineEvent<Content.News>,
    at now: Duration,
    _ reaction: inout TerminalReaction<Content.Effect>
  ) async throws {
    for effect in screen.update(event, at: now, desk.wallNow) {
      switch effect {
      case .print(let lines): try await desk.print(lines)
      case .perform(let effect): reaction.effects.append(effect)
      case .leave: reaction.isOver = true
      }
    }
  }
}
