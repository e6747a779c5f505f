// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem
import OppiTransport

/// A chat on a terminal that can be drawn on.
struct ScreenFace: ChatFace {
  private static let frameTime = Duration.milliseconds(50)

  private let terminal: RawTerminal
  /// Ctrl-Z is a key here; a stop that comes as a signal is told by these.
  private let signals: TerminalEvents
  private let context: Context
  private let theme: Theme
  private let isMoving: Bool
  private var region = LiveRegion()
  private var decoder = KeyDecoder()
  private var screen: ChatScreen
  private var ticks = 0
  /// The shell has the screen, and a signal has asked the program to end.
  private var isAway = false
  private var drawnAt: EventLoop.Instant?
  private let begin: EventLoop.Instant

  init(context: Context) throws {
    self.context = context
    signals = try TerminalEvents(on: context.loop)
    terminal = try RawTerminal(descriptor: StandardStream.input.descriptor, on: context.loop)
    theme = context.console.policy.theme
    screen = ChatScreen(size: terminal.size())
    begin = context.loop.now
    isMoving = context.nonEmpty("OPPI_REDUCE_MOTION") == nil
  }

  var reader: @Sendable () async throws -> [UInt8] {
    { [terminal] in try await terminal.read(until: nil) ?? [] }
  }

  mutating func restore() {
    terminal.restore(after: region.finish())
  }

  mutating func handle(_ event: ChatRoom.Event) async throws -> [ChatState.Effect] {
    var effects: [ChatState.Effect] = []
    switch event {
    case .input(let bytes): effects = try await press(decoder.decode(bytes))
    case .inputEnded: return [.leave]
    case .news(let step, let activity, _): effects = screen.take(step, activity)
    case .performed(let result): screen.take(result)
    case .failed(let error): throw error
    case .mail(.settled(let settled)): effects = screen.take(settled)
    case .held: screen.say("not sent yet: waiting for the session")
    case .mail(.looked): break
    case .tick:
      ticks += 1
      for event in signals.take() { try await obey(event) }
      // A lone escape is known by what does not follow it.
      if decoder.isPending { effects = try await press(decoder.flush()) }
    }
    let remote = try await perform(effects)
    try await picture(isUrgent: isInput(event))
    return remote
  }

  /// Keys are answered at once; of the news, only what lasts is worth a picture.
  private func isInput(_ event: ChatRoom.Event) -> Bool {
    if case .input = event { true } else { false }
  }

  private var elapsed: Duration { begin.duration(to: context.loop.now) }

  // MARK: Keys

  private mutating func press(_ keys: [Key]) async throws -> [ChatState.Effect] {
    var effects: [ChatState.Effect] = []
    for key in keys {
      effects += screen.press(key, at: elapsed)
      // The next request is a new one, however quickly it follows.
      fit()
    }
    return effects
  }

  private mutating func fit() {
    screen.fit(terminal.size(), at: elapsed)
  }

  /// Performs what needs no server; returns the rest.
  private mutating func perform(_ effects: [ChatState.Effect]) async throws -> [ChatState.Effect] {
    var remote: [ChatState.Effect] = []
    for effect in effects where try await !performHere(effect) { remote.append(effect) }
    return remote
  }

  /// Performs an effect that needs no server; false for any other.
  private mutating func performHere(_ effect: ChatState.Effect) async throws -> Bool {
    switch effect {
    case .openEditor: try await openEditor()
    case .suspend: try await suspend()
    case .redraw: region.invalidate()
    case .say(let text): screen.say(text)
    case .print(let lines): try await say(lines)
    case .send(let text, _):
      try await say(
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
          StyledText(($0 == 0 ? "› " : "  ") + $1, .name)
        }
      )
      return false
    default: return false
    }
    return true
  }

  private mutating func openEditor() async throws {
    try await terminal.write(region.erase())
    let text = screen.composer.text
    do {
      screen.replaceMessage(
        try terminal.whileRestored {
          try Editor.edit(text, environment: context.environment)
        }
      )
    } catch {
      screen.say("the editor failed: \(error)")
    }
    region.invalidate()
  }

  private mutating func obey(_ event: TerminalEvent) async throws {
    switch event {
    case .suspendRequested: try await suspend()
    // Others may have written below the block.
    case .continued: region = LiveRegion()
    case .resized: break
    }
  }

  private mutating func suspend() async throws {
    try await terminal.write(region.erase())
    isAway = !terminal.suspend()
    region = LiveRegion()
  }

  private mutating func say(_ lines: [StyledText]) async throws {
    let width = terminal.size().columns
    try await terminal.write(region.printAbove(lines.map(theme.render), width: width))
  }

  // MARK: Picture

  private mutating func picture(isUrgent: Bool) async throws {
    if let drawnAt, context.loop.now < drawnAt + Self.frameTime, !isUrgent { return }
    guard !isAway else { return }
    fit()
    let block = screen.view(now: context.now(), frame: isMoving ? ticks / 3 : 0)
    try await terminal.write(
      region.draw(
        block.lines.map(theme.render),
        width: screen.size.columns,
        height: screen.size.rows,
        cursor: block.cursor
      )
    )
    drawnAt = context.loop.now
  }
}
