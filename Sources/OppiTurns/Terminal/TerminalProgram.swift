// SPDX-License-Identifier: MIT

import EventLoop
package import OppiClient
import OppiSystem
package import OppiTerminal

/// Runs a ``Screen`` on a terminal: decodes keys, and draws its view on a surface, by default at the
/// end of the scrollback.
package struct TerminalProgram<Content: Screen>: TerminalFace {
  /// The least time between two redraws without a key press.
  private static var frameTime: Duration { .milliseconds(50) }
  private static var longestFrameTime: Duration { .milliseconds(500) }
  /// How long to wait for the rest of an escape sequence.
  private static var escapeTime: Duration { .milliseconds(50) }
  private static var animationTime: Duration { .milliseconds(300) }

  package private(set) var screen: Content
  private let context: Context
  private let terminal: any KeyTerminal
  /// Reports stop signals; Ctrl-Z is a key here.
  private let signals: any TerminalEventSource
  private let isMoving: Bool
  private let begin: EventLoop.Instant
  private var region: any TerminalSurface
  private var decoder = KeyDecoder()
  private var clicks = ClickCounter()
  private var size: ScreenSize
  /// A new size that was seen once.
  private var nextSize: ScreenSize?
  /// Whether the program is in the background and was asked to exit.
  private var isAway = false
  /// When the next frame may be drawn; `nil` if at once.
  private var nextFrame: EventLoop.Instant?
  private var pace = TerminalPace()
  /// The last picture, until all of it is drawn.
  private var picture: ScreenView?
  /// Whether something has happened since the picture was made.
  private var isStale = true
  /// Whether the user may see the picture and the screen does not know it.
  private var isUnconfirmed = false
  /// What came while the terminal was behind, and the end of a sequence of bytes.
  private var held: [ScreenEvent<Content.News>] = []
  private var isPauseHeld = false
  /// Finished lines to print above the next frame.
  private var finished: [StyledText] = []
  /// The texts to open in the external editor.
  private let editor = AsyncStream<String>.makeStream()
  /// Asks for a redraw after one that came too early.
  private let late = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  /// Set while the editor has the terminal.
  private var visit: EditorVisit?
  private var light: StatusLight
  private var title = WindowTitle()
  private var question: BackgroundQuestion
  /// The result of the present input.
  private var reaction = TerminalReaction<Content.Effect>()

  /// Takes over the terminal of standard input.
  package init(
    _ screen: Content,
    on surface: any TerminalSurface = LiveRegion(),
    in context: Context
  ) throws {
    self.screen = screen
    region = surface
    region.theme = context.output.policy.theme
    self.context = context
    signals = try context.terminal.events(on: context.loop)
    terminal = try context.terminal.keys(
      modes: Self.modes(of: surface, in: context),
      on: context.loop
    )
    isMoving = context.nonEmpty("OPPI_REDUCE_MOTION") == nil
    begin = context.loop.now
    let asks = context.output.policy.followsBackground
    question = BackgroundQuestion(askedAt: asks ? begin : nil)
    // The first answer tells the way to a slow terminal.
    if asks { pace.expect(.attributes, after: question.bytes.count, at: begin) }
    light = StatusLight(of: "oppi", isEnabled: context.reportsStatus)
    size = ScreenSize(terminal.size())
    _ = self.screen.update(.resized(size), at: .zero)
  }

  private static func modes(of surface: any TerminalSurface, in context: Context) -> [TerminalMode]
  {
    guard surface.isWholeScreen else { return [.title] }
    return [.title, .wheelKeys] + (context.output.policy.capturesMouse ? [.mouse] : [])
  }

  package var source: @Sendable (@escaping TerminalInputReporter<Content.News>) async -> Void {
    { [terminal, signals, context, question, texts = editor.stream, late = late.stream] report in
      let loop = context.loop
      try? await terminal.write(question.bytes)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await Self.read(terminal, on: loop, report) }
        group.addTask { await EditorVisit.all(texts, on: terminal, in: context, report) }
        group.addTask { while let event = await signals.next() { report(.signal(event)) } }
        group.addTask {
          while (try? await loop.sleep(for: Self.animationTime)) != nil { report(.tick) }
        }
        group.addTask {
          for await _ in late {
            guard (try? await loop.sleep(for: Self.frameTime)) != nil else { return }
            report(.tick)
          }
        }
      }
    }
  }

  private static func read(
    _ terminal: any KeyTerminal,
    on loop: EventLoop,
    _ report: (TerminalInput<Content.News>) -> Void
  ) async {
    var pauseAt: EventLoop.Instant?
    while true {
      do {
        guard let bytes = try await terminal.read(until: pauseAt) else {
          pauseAt = nil
          report(.pause)
          continue
        }
        guard !bytes.isEmpty else { return report(.inputEnded) }
        report(.bytes(bytes, at: loop.now))
        pauseAt = loop.now + escapeTime
      } catch {
        return
      }
    }
  }

  package mutating func restore() {
    dropAnswers()
    // Finished rows stay, also after an error that came before their frame.
    let rest = takeFinished()
    let erased = region.erase() + light.show(nil)
    terminal.restore(after: erased + region.printAbove(rest))
  }

  package mutating func handle(
    _ input: TerminalInput<Content.News>
  ) async throws -> TerminalReaction<Content.Effect> {
    reaction = TerminalReaction()
    switch input {
    case .bytes(let bytes, let moment):
      try await endPause(before: bytes.first, at: moment)
      try await take(decoder.decode(bytes), at: moment)
    case .pause: isPauseHeld = true
    case .inputEnded: reaction.isOver = true
    case .signal(let event): try await obey(event)
    case .tick: if held.isEmpty { held = [.tick] }
    case .news(let news): held.append(.news(news))
    case .edited(let text, let failure): try await end(.edited(text, failure: failure))
    case .failed(let error):
      guard visit != nil else { throw error }
      visit?.failure = error
    }
    try await catchUp()
    if reaction.isOver, visit != nil {
      visit?.isOver = true
      reaction.isOver = false
    }
    if !reaction.isOver { try await draw() }
    if reaction.isOver || isAway { try await printFinished() }
    return reaction
  }

  private mutating func take(
    _ events: [KeyDecoder.Event],
    at moment: EventLoop.Instant
  ) async throws {
    for event in events where !reaction.isOver {
      switch event {
      case .key(let key): try await press(key, at: moment)
      case .background, .attributes, .status: receive(event)
      case .mouse(let event): try await click(event, at: moment)
      }
    }
  }

  private mutating func click(
    _ event: MouseEvent,
    at moment: EventLoop.Instant
  ) async throws {
    // The editor covers what was clicked.
    guard visit == nil else { return }
    nextFrame = nil
    let moment = begin.duration(to: moment)
    try await update(.mouse(clicks.mark(event, at: moment), at: moment))
  }

  private mutating func press(_ key: Key, at moment: EventLoop.Instant) async throws {
    guard visit == nil else {
      visit?.keys.append((key, moment))
      return
    }
    // Redraws at once after keys, but limits the rate for news.
    nextFrame = nil
    try await update(.key(key, at: begin.duration(to: moment)))
  }

  private mutating func update(_ event: ScreenEvent<Content.News>) async throws {
    if case .shown = event {} else { isStale = true }
    let effects = screen.update(event, at: begin.duration(to: context.loop.now))
    for effect in effects {
      switch effect {
      case .perform(let effect): reaction.effects.append(effect)
      case .print(let lines): finished += lines
      case .edit(let text): try await edit(text)
      case .suspend: try await suspend()
      case .redraw: region.invalidate()
      case .copy(let text): try await write(TerminalCalls.copy(text))
      case .call(let text): try await write(TerminalCalls.call(text))
      case .mouse(let isOn): terminal.set(.mouse, isOn: isOn)
      case .leave: reaction.isOver = true
      }
    }
  }

  // MARK: - Answers of the terminal

  /// Takes an answer; a late one for the background changes the theme of what is already drawn.
  private mutating func receive(_ answer: KeyDecoder.Event) {
    if answer == .status { return pace.receive(.status, at: context.loop.now) }
    if answer == .attributes { pace.receive(.attributes, at: context.loop.now) }
    guard question.receive(answer) else { return }
    (isStale, nextFrame) = (true, nil)
    if case .background(let background) = answer { region.theme = region.theme.on(background) }
  }

  /// Whether the user still waits for what was drawn.
  private var isBehind: Bool {
    let now = context.loop.now
    return pace.isBehind(at: now) || !region.isComplete && pace.isConfirmed(at: now)
  }

  /// Applies what came while the terminal was behind: keys act on what the user sees.
  private mutating func catchUp() async throws {
    guard !isBehind else { return }
    try await confirm()
    try await endPause(before: nil, at: context.loop.now)
    let events = held
    held = []
    for event in events where !reaction.isOver { try await update(event) }
  }

  /// Ends a sequence that has paused; while an answer is awaited, ESC may be its start.
  private mutating func endPause(
    before byte: UInt8?,
    at moment: EventLoop.Instant
  ) async throws {
    guard isPauseHeld else { return }
    isPauseHeld = false
    if let byte, decoder.mayHaveAnswer(before: byte) { return }
    try await take(decoder.flush(), at: moment)
  }

  /// Tells the screen that the user sees it as it is.
  private mutating func confirm() async throws {
    guard isUnconfirmed, !isStale, pace.isConfirmed(at: context.loop.now) else { return }
    isUnconfirmed = false
    try await update(.shown)
  }

  /// Drops answers that have not come yet, which the next program would take for keys.
  private mutating func dropAnswers() {
    func isAwaited() -> Bool {
      question.isOpen(at: context.loop.now) || pace.isBehind(at: context.loop.now)
    }
    if isAwaited() {
      terminal.dropInput(for: BackgroundQuestion.dropLimit) { bytes in
        for event in decoder.decode(bytes) { receive(event) }
        return !isAwaited()
      }
    }
    question.close()
    pace.forget()
  }

  // MARK: - The terminal

  private func write(_ bytes: [UInt8]?) async throws {
    // Another program has the terminal during a visit of the editor.
    guard let bytes, visit == nil, !isAway else { return }
    try await terminal.write(bytes)
  }

  /// Prints the finished lines without a new frame.
  private mutating func printFinished() async throws {
    let lines = takeFinished()
    try await terminal.write(region.printAbove(lines))
  }

  private mutating func takeFinished() -> [StyledText] {
    defer { finished = [] }
    return finished
  }

  private mutating func edit(_ text: String) async throws {
    try await printFinished()
    try await terminal.write(region.erase())
    dropAnswers()
    visit = EditorVisit()
    editor.continuation.yield(text)
  }

  /// Continues after the editor, with its text and the events received meanwhile.
  private mutating func end(_ edited: ScreenEvent<Content.News>) async throws {
    guard let visit else { return }
    self.visit = nil
    region.invalidate()
    title.forget()
    try await update(edited)
    for (key, pressed) in visit.keys where !reaction.isOver { try await press(key, at: pressed) }
    if let failure = visit.failure { throw failure }
    reaction.isOver = reaction.isOver || visit.isOver
  }

  private mutating func obey(_ event: TerminalEvent) async throws {
    // The editor handles its own suspension and redraws itself.
    guard visit == nil else { return }
    switch event {
    case .suspendRequested: try await suspend()
    case .continued:
      // Other programs may have written below the view.
      region.forget()
      title.forget()
      try await update(.continued)
    case .resized:
      // A terminal that was narrower for a moment may have cut the rows.
      region.invalidate()
      isStale = true
    }
  }

  private mutating func suspend() async throws {
    try await printFinished()
    try await terminal.write(region.erase() + light.show(nil))
    dropAnswers()
    isAway = !terminal.suspend()
    region.forget()
    title.forget()
    try await update(.continued)
  }

  /// Draws the screen, or the rest of the last picture, as far as the terminal has room.
  private mutating func draw() async throws {
    let now = context.loop.now
    let room = pace.room(at: now)
    guard !isAway, visit == nil, room > 0 else { return }
    if isStale { try await makePicture(at: now) }
    guard let view = picture else { return }
    let above = takeFinished()
    let frame = region.draw(view.picture, cursor: view.cursor, on: size, above: above, limit: room)
    if region.isComplete { picture = nil }
    let output = frame + title.show(view.title) + light.show(view.status)
    let end = output.isEmpty ? [] : pace.ask(after: output.count, at: now)
    try await terminal.write(output + end)
    // Whatever a server sends, drawing takes a small share of the time.
    let rest = min(now.duration(to: context.loop.now) * 15, Self.longestFrameTime)
    nextFrame = now + max(Self.frameTime, rest)
    try await confirm()
  }

  /// Makes a picture of the screen unless the last one is too recent.
  private mutating func makePicture(at now: EventLoop.Instant) async throws {
    if question.delaysFrame(at: now) || nextFrame.map({ now < $0 }) ?? false {
      late.continuation.yield()
      return
    }
    let present = ScreenSize(terminal.size())
    if present != size {
      // Each frame of a window that is being resized may leave rows behind.
      guard present == nextSize else {
        nextSize = present
        late.continuation.yield()
        return
      }
      size = present
      try await update(.resized(size))
    }
    nextSize = nil
    let frames = begin.duration(to: now) / Self.animationTime
    picture = screen.view(at: context.now(), frame: isMoving ? Int(frames) : 0)
    (isStale, isUnconfirmed) = (false, true)
  }
}

extension ScreenSize {
  fileprivate init(_ size: (columns: Int, rows: Int)) {
    self.init(columns: size.columns, rows: size.rows)
  }
}
