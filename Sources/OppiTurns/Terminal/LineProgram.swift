// SPDX-License-Identifier: MIT

import EventLoop
package import OppiClient
import OppiSystem
package import OppiTerminal
package import OppiText

/// Runs a ``LineScreen`` on a terminal on which whole lines are read and printed, and nothing is
/// drawn: for screen readers, and without cursor control.
package struct LineProgram<Content: LineScreen>: TerminalFace {
  /// A closed terminal reports the end of input repeatedly; after this many, reading stops.
  private static var endLimit: Int { 3 }
  private static var tickTime: Duration { .milliseconds(500) }

  private let context: Context
  private let terminal: any PrintingTerminal
  private let begin: EventLoop.Instant
  /// In columns.
  private let width: Int
  /// The bytes of a line without an end.
  private var pending: [UInt8] = []
  package private(set) var screen: Content
  /// Whether the next line is the rest of a text that was set aside.
  private var isContinued = false
  /// When the line that was begun in the first moment of a request is set aside; `nil` if it was.
  private var settlesAt: Duration?
  /// The result of the present input.
  private var reaction = TerminalReaction<Content.Effect>()

  /// Takes over the terminal of standard input; `make` gets its width in columns.
  package init(in context: Context, _ make: (Int) -> Content) throws {
    // The conversation is always text, even if the final report is JSON.
    self.context = context.inWords
    let policy = self.context.output.policy
    width = policy.form == .terminal ? policy.width : .max
    terminal = try context.terminal.lines(on: context.loop)
    begin = context.loop.now
    screen = make(width)
  }

  private var now: Duration { begin.duration(to: context.loop.now) }

  /// Reports the input and the passing of time until the task is cancelled.
  package var source: @Sendable (@escaping TerminalInputReporter<Content.News>) async -> Void {
    { [terminal, loop = context.loop] report in
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          var ends = 0
          while ends < Self.endLimit, let bytes = try? await terminal.read() {
            ends = bytes.isEmpty ? ends + 1 : 0
            report(bytes.isEmpty ? .inputEnded : .bytes(bytes, at: loop.now))
          }
        }
        group.addTask {
          while (try? await loop.sleep(for: Self.tickTime)) != nil { report(.tick) }
        }
      }
    }
  }

  package mutating func restore() { terminal.restore() }

  package mutating func handle(
    _ input: TerminalInput<Content.News>
  ) async throws -> TerminalReaction<Content.Effect> {
    let panelCount = screen.panelCount
    reaction = TerminalReaction()
    switch input {
    case .bytes(let bytes, let moment):
      try await take(await inputs(in: bytes), at: begin.duration(to: moment))
    case .inputEnded: try await update(.inputEnded, at: now)
    case .tick: try await update(.tick, at: now)
    case .news(let news): try await update(.news(news), at: now)
    case .failed(let error): throw error
    case .pause, .signal, .edited: break
    }
    if screen.panelCount != panelCount {
      try await setAside()
      settlesAt = screen.isDeciding ? now + Context.readingPause : nil
    } else if let settlesAt, now >= settlesAt {
      self.settlesAt = nil
      try await setAside()
    }
    try await update(.shown, at: now)
    return reaction
  }

  /// Takes what was typed before the meaning of a line changed: a line that was begun before a
  /// request was printed does not answer it, and one that was begun as an answer is no message.
  private mutating func setAside() async throws {
    try await take(await inputs(in: terminal.takeUnread()), at: now)
    // The terminal forgets a line without an end.
    let draft = takePending()
    guard !draft.allSatisfy(\.isWhitespace) else { return }
    isContinued = true
    try await print([StyledText("set aside, not sent: \(draft)")])
  }

  private mutating func take(
    _ inputs: [LineEvent<Content.News>],
    at typed: Duration
  ) async throws {
    for input in inputs where !reaction.isOver {
      defer { isContinued = false }
      switch input {
      case .line(let line) where isContinued && !line.allSatisfy(\.isWhitespace):
        try await print([StyledText("set aside, too; type it again: \(line)")])
      case .continued:
        terminal.suspend()
        try await update(input, at: now)
      default: try await update(input, at: typed)
      }
    }
  }

  private mutating func update(_ event: LineEvent<Content.News>, at now: Duration) async throws {
    for effect in screen.update(event, at: now, context.now()) {
      switch effect {
      case .print(let lines): try await print(lines)
      case .perform(let effect): reaction.effects.append(effect)
      case .leave: reaction.isOver = true
      // Only for what is drawn.
      case .edit, .suspend, .redraw, .copy, .call, .mouse: break
      }
    }
  }

  /// The complete lines, and the Ctrl-C and Ctrl-Z, in bytes that were read.
  private mutating func inputs(in bytes: [UInt8]) async -> [LineEvent<Content.News>] {
    var inputs: [LineEvent<Content.News>] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\n"):
        inputs.append(.line(takePending()))
      case terminal.interrupt:
        // Ctrl-C leaves its echo on the screen, so the next line starts below it.
        await context.output.status(StyledText(""))
        inputs.append(.interrupted(hasDraft: !pending.isEmpty))
        pending = []
      case terminal.suspension:
        // As where a terminal handles Ctrl-Z, the unfinished line is dropped: the user may have
        // forgotten it when the program continues.
        pending = []
        inputs.append(.continued)
      default: pending.append(byte)
      }
    }
    return inputs
  }

  private mutating func takePending() -> String {
    defer { pending = [] }
    return String(decoding: pending, as: UTF8.self).safeLine(limit: .max)
  }

  /// Prints lines without styles, wrapped on a terminal.
  private func print(_ lines: [StyledText]) async throws {
    let rows = lines.flatMap { $0.folded(to: width, indent: 2) }.map { StyledText($0.plain) }
    try await context.output.print(.step([], .lines(rows)))
  }
}

/// A terminal program that reads and prints whole lines, as a value: the counterpart of `Screen`.
package protocol LineScreen: Sendable {
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
  ) -> [ScreenEffect<Effect>]
}

package enum LineEvent<News: Sendable>: Sendable {
  /// A complete line; the event's time is when it was read.
  case line(String)
  /// Ctrl-C; `hasDraft` says whether it dropped an unfinished line.
  case interrupted(hasDraft: Bool)
  /// The program continues after Ctrl-Z, which dropped an unfinished line.
  case continued
  case inputEnded
  case tick
  /// Everything so far has been printed.
  case shown
  case news(News)
}

extension ScreenEffect {
  /// Prints a line; also with --quiet, because nothing else shows what happens.
  package static func say(_ text: String) -> Self { .print([StyledText(text)]) }
}
