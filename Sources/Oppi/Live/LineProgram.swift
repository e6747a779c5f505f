// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTerminal

/// Runs a ``LineScreen`` on a terminal: for screen readers, and without cursor control.
struct LineProgram<Content: LineScreen>: TerminalFace {
  private var terminal: LineSession
  private(set) var screen: Content
  /// Whether the next line is the rest of a text that was set aside.
  private var isContinued = false
  /// When the line that was begun in the first moment of a request is set aside; `nil` if it was.
  private var settlesAt: Duration?

  /// Takes over the terminal of standard input; `make` gets its width in columns.
  init(in context: Context, _ make: (Int) -> Content) throws {
    terminal = try LineSession(in: context)
    screen = make(terminal.width)
  }

  var source: @Sendable (@escaping TerminalInputTeller<Content.News>) async -> Void {
    { [terminal] tell in await terminal.report(tell) }
  }

  mutating func restore() { terminal.restore() }

  mutating func handle(
    _ input: TerminalInput<Content.News>
  ) async throws -> TerminalReaction<Content.Effect> {
    let panelCount = screen.panelCount
    var reaction = TerminalReaction<Content.Effect>()
    switch input {
    case .bytes(let bytes, let moment):
      try await take(await terminal.inputs(in: bytes), at: terminal.time(of: moment), &reaction)
    case .inputEnded: try await update(.inputEnded, at: terminal.now, &reaction)
    case .tick: try await update(.tick, at: terminal.now, &reaction)
    case .news(let news): try await update(.news(news), at: terminal.now, &reaction)
    case .failed(let error): throw error
    case .pause, .signal, .edited: break
    }
    if screen.panelCount != panelCount {
      try await setAside(&reaction)
      settlesAt = screen.isDeciding ? terminal.now + Context.readingPause : nil
    } else if let settlesAt, terminal.now >= settlesAt {
      self.settlesAt = nil
      try await setAside(&reaction)
    }
    try await update(.shown, at: terminal.now, &reaction)
    return reaction
  }

  /// Takes what was typed before the meaning of a line changed: a line that was begun before a
  /// request was printed does not answer it, and one that was begun as an answer is no message.
  private mutating func setAside(
    _ reaction: inout TerminalReaction<Content.Effect>
  ) async throws {
    let inputs: [LineEvent<Content.News>]
    let draft: String
    (inputs, draft) = await terminal.takeUnread()
    try await take(inputs, at: terminal.now, &reaction)
    guard !draft.allSatisfy(\.isWhitespace) else { return }
    isContinued = true
    try await terminal.print([StyledText("set aside, not sent: \(draft)")])
  }

  private mutating func take(
    _ inputs: [LineEvent<Content.News>],
    at typed: Duration,
    _ reaction: inout TerminalReaction<Content.Effect>
  ) async throws {
    for input in inputs where !reaction.isOver {
      defer { isContinued = false }
      if case .line(let line) = input, isContinued, !line.allSatisfy(\.isWhitespace) {
        try await terminal.print([StyledText("set aside, too; type it again: \(line)")])
      } else {
        try await update(input, at: typed, &reaction)
      }
    }
  }

  private mutating func update(
    _ event: LineEvent<Content.News>,
    at now: Duration,
    _ reaction: inout TerminalReaction<Content.Effect>
  ) async throws {
    for effect in screen.update(event, at: now, terminal.wallNow) {
      switch effect {
      case .print(let lines): try await terminal.print(lines)
      case .perform(let effect): reaction.effects.append(effect)
      case .leave: reaction.isOver = true
      }
    }
  }
}

/// A terminal program that reads and prints whole lines, as a value: the counterpart of `Screen`.
protocol LineScreen: Sendable {
  associatedtype News: Sendable
  associatedtype Effect: Sendable

  /// Counts the changes that give a typed line another meaning: each text that must be read before
  /// it is answered, and its end.
  var panelCount: Int { get }

  /// Whether a line can decide the request that was printed.
  var isDeciding: Bool { get }

  /// Handles an event and returns the effects, in order; `now` is the time since a fixed moment, and
  /// `moment` the time of day.
  mutating func update(
    _ event: LineEvent<News>,
    at now: Duration,
    _ moment: Timestamp
  ) -> [LineEffect<Effect>]
}

enum LineEvent<News: Sendable>: Sendable {
  /// A complete line; the event's time is when it was read.
  case line(String)
  /// Ctrl-C; `hasDraft` says whether it dropped an unfinished line.
  case interrupted(hasDraft: Bool)
  case inputEnded
  case tick
  /// Everything so far has been printed.
  case shown
  case news(News)
}

enum LineEffect<Effect: Sendable>: Sendable {
  case print([StyledText])
  case perform(Effect)
  case leave
}

extension LineEffect: Equatable where Effect: Equatable {}

extension LineEffect {
  /// Prints a line; also with --quiet, because nothing else shows what happens.
  static func say(_ text: String) -> Self { .print([StyledText(text)]) }
}

/// A terminal on which whole lines are read and printed, and nothing is drawn.
struct LineSession {
  /// A closed terminal reports the end of input repeatedly; after this many, reading stops.
  private static let endLimit = 3
  private static let tickTime = Duration.milliseconds(500)

  private let context: Context
  private let terminal: any PrintingTerminal
  private let begin: EventLoop.Instant
  private var pending: [UInt8] = []

  /// Takes over the terminal of standard input.
  init(in context: Context) throws {
    // The conversation is always text, even if the final report is JSON.
    self.context = context.inWords
    terminal = try context.terminal.lines(on: context.loop)
    begin = context.loop.now
  }

  /// In columns.
  var width: Int { context.output.policy.form == .terminal ? context.output.policy.width : .max }

  var now: Duration { time(of: context.loop.now) }

  /// The time of day.
  var wallNow: Timestamp { context.now() }

  func time(of instant: EventLoop.Instant) -> Duration { begin.duration(to: instant) }

  func restore() { terminal.restore() }

  /// Reports the input and the passing of time until the task is cancelled.
  func report<News>(_ tell: @escaping TerminalInputTeller<News>) async {
    await withTaskGroup(of: Void.self) { [terminal, loop = context.loop] group in
      group.addTask {
        var ends = 0
        while ends < Self.endLimit, let bytes = try? await terminal.read() {
          ends = bytes.isEmpty ? ends + 1 : 0
          tell(bytes.isEmpty ? .inputEnded : .bytes(bytes, at: loop.now))
        }
      }
      group.addTask {
        while (try? await loop.sleep(for: Self.tickTime)) != nil { tell(.tick) }
      }
    }
  }

  // MARK: - Input

  /// The complete lines and the Ctrl-C in bytes that were read; handles Ctrl-Z.
  mutating func inputs<News>(in bytes: [UInt8]) async -> [LineEvent<News>] {
    var inputs: [LineEvent<News>] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\n"):
        inputs.append(.line(takePending()))
      case terminal.interrupt:
        // Ctrl-C leaves its echo on the screen, so the next line starts below it.
        await context.output.status(StyledText(""))
        inputs.append(.interrupted(hasDraft: !pending.isEmpty))
        pending = []
      case terminal.suspension: terminal.suspend()
      default: pending.append(byte)
      }
    }
    return inputs
  }

  private mutating func takePending() -> String {
    defer { pending = [] }
    return String(decoding: pending, as: UTF8.self).safeLine(limit: .max)
  }

  /// The complete lines that were typed and not read, and the text of a line without an end, which
  /// the terminal forgets.
  mutating func takeUnread<News>() async -> (inputs: [LineEvent<News>], draft: String) {
    (await inputs(in: terminal.takeUnread()), takePending())
  }

  // MARK: - Output

  /// Prints lines without styles, wrapped on a terminal.
  func print(_ lines: [StyledText]) async throws {
    let rows = lines.flatMap { $0.folded(to: width, indent: 2) }.map { StyledText($0.plain) }
    try await context.output.print(.step([], .lines(rows)))
  }
}
