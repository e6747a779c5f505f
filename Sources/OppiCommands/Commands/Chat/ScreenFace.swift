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
  /// Keys that were on their way before a request was shown do not answer it.
  private static let approvalDelay = Duration.milliseconds(500)

  private let terminal: RawTerminal
  /// Ctrl-Z is a key here; a stop that comes as a signal is told by these.
  private let signals: TerminalEvents
  private let context: Context
  private let theme: Theme
  private let isMoving: Bool
  private var region = LiveRegion()
  private var decoder = KeyDecoder()
  private var composer = Composer()
  private var state = ChatState()
  private var note: String?
  private var ticks = 0
  /// The shell has the screen, and a signal has asked the program to end.
  private var isAway = false
  private var drawnAt: EventLoop.Instant?
  private var askedSince: (id: String, at: EventLoop.Instant)?

  init(context: Context) throws {
    self.context = context
    signals = try TerminalEvents(on: context.loop)
    terminal = try RawTerminal(descriptor: StandardStream.input.descriptor, on: context.loop)
    theme = context.console.policy.theme
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
    case .input(let bytes): effects = try await type(decoder.decode(bytes))
    case .inputEnded: return [.leave]
    case .news(let step, let activity, _): try await take(step, activity)
    case .performed(.done(let text)): note = text ?? note
    case .performed(.failed(let text, let id)):
      note = "failed: \(text)"
      if let id { state.reopen(id) }
    case .failed(let error): throw error
    case .mail(.settled(let settled)): try await take(settled)
    case .held: note = "not sent yet: waiting for the session"
    case .mail(.looked): break
    case .tick:
      ticks += 1
      for event in signals.take() { try await obey(event) }
      // A lone escape is known by what does not follow it.
      if decoder.isPending { effects = try await type(decoder.flush()) }
    }
    // The next request is a new one, however quickly it follows.
    noteRequest()
    try await picture(isUrgent: !isTick(event))
    return effects
  }

  private func isTick(_ event: ChatRoom.Event) -> Bool {
    if case .tick = event { true } else { false }
  }

  // MARK: Keys

  private mutating func type(_ keys: [Key]) async throws -> [ChatState.Effect] {
    var remote: [ChatState.Effect] = []
    for key in keys {
      for effect in effects(of: key) where try await !performHere(effect) {
        remote.append(effect)
      }
    }
    return remote
  }

  private mutating func effects(of key: Key) -> [ChatState.Effect] {
    if composer.text.isEmpty, isAnswerable, let effects = state.take(key) { return effects }
    return composer.apply(key).map { state.perform($0) } ?? []
  }

  /// Whether what a key would answer has been on the screen for long enough to be meant.
  private var isAnswerable: Bool {
    guard let askedSince, askedSince.id == openRequest else { return false }
    return askedSince.at + Self.approvalDelay <= context.loop.now
  }

  private var openRequest: String? { state.approval?.id ?? state.question?.id }

  /// Performs what needs no server; false for the rest.
  private mutating func performHere(_ effect: ChatState.Effect) async throws -> Bool {
    switch effect {
    case .openEditor:
      try await terminal.write(region.erase())
      let text = composer.text
      do {
        composer.replace(
          try terminal.whileRestored {
            try Editor.edit(text, environment: context.environment)
          }
        )
      } catch {
        note = "the editor failed: \(error)"
      }
      region.invalidate()
    case .suspend: try await suspend()
    case .redraw: region.invalidate()
    case .say(let text): note = text
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

  // MARK: News

  private mutating func take(_ step: TurnFollower.Step, _ activity: TurnActivity) async throws {
    switch step {
    case .changes(let changes, _), .past(let changes):
      state.update(activity)
      noteRequest()
      for change in changes { try await tell(change) }
    case .lost(let error, _): note = "connection lost: \(OppiError(error).message)"
    case .standing(let standing): if !standing.isFirst { note = "connected again" }
    case .givenUp(let error): note = "connection lost: \(OppiError(error).message)"
    case .timeCame: break
    }
  }

  /// A message that did not reach the agent goes back to where it was written.
  private mutating func take(_ settled: ChatMail.Settled) async throws {
    guard let text = settled.notice else {
      if case .delivered(.queued) = settled.verdict { note = "queued" }
      return
    }
    try await say([StyledText(text, .error)])
    state.notSent()
    if case .unknown = settled.verdict { return }
    if composer.text.isEmpty { composer.replace(settled.text) }
  }

  private mutating func noteRequest() {
    guard let id = openRequest else {
      askedSince = nil
      return
    }
    guard askedSince?.id != id else { return }
    askedSince = (id, context.loop.now)
    if let prefill = state.question?.prefill, composer.text.isEmpty { composer.replace(prefill) }
  }

  /// Puts what is finished above the block, for good.
  private mutating func tell(_ change: ActivityChange) async throws {
    switch change {
    case .textFinished(let text) where !text.isEmpty:
      try await say(
        text.safeBlock().split(separator: "\n", omittingEmptySubsequences: false).map {
          StyledText(String($0))
        }
      )
    case .toolFinished(let call):
      let mark = StatusMark(call.state)
      var line = StyledText("\(mark.symbol) \(mark.word): ", mark.style)
      line.append(ToolRenderers.title(of: call))
      let width = terminal.size().columns
      try await say([line.truncated(to: width)] + ToolRenderers.rows(for: call, width: width))
    case .notice(let text): note = text.safeLine()
    case .queueDropped(let messages):
      try await say(
        messages.map { StyledText("dropped by the stop: \($0.text.safeLine())", .warning) }
      )
    case .turnFinished(let outcome, _): try await finish(outcome)
    case .sessionEnded:
      try await say([StyledText("the session has ended; a message starts it anew", .dim)])
    default: break
    }
  }

  private mutating func finish(_ outcome: TurnOutcome) async throws {
    note = nil
    guard let (code, sentence) = outcome.failure else { return }
    try await say([StyledText(sentence, code == .turnFailed ? .error : .warning)])
  }

  private mutating func say(_ lines: [StyledText]) async throws {
    let width = terminal.size().columns
    try await terminal.write(region.printAbove(lines.map(theme.render), width: width))
  }

  // MARK: Picture

  private mutating func picture(isUrgent: Bool) async throws {
    if let drawnAt, context.loop.now < drawnAt + Self.frameTime, isUrgent { return }
    guard !isAway else { return }
    let size = terminal.size()
    let block = ChatScreen.block(
      state,
      composer,
      note: note,
      size: size,
      now: context.now(),
      frame: isMoving ? ticks / 3 : 0
    )
    try await terminal.write(
      region.draw(
        block.lines.map(theme.render),
        width: size.columns,
        height: size.rows,
        cursor: block.cursor
      )
    )
    drawnAt = context.loop.now
  }
}
