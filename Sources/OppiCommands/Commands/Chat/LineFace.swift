// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// Runs a chat line by line on a terminal without cursor control.
struct LineFace: ChatFace {
  /// A closed terminal reports the end of input repeatedly; after this many, reading stops.
  private static let endLimit = 3

  private let context: Context
  private let terminal: any PrintingTerminal
  private let begin: EventLoop.Instant
  private var lines: ChatLines
  private var pending: [UInt8] = []

  /// Takes over the terminal of standard input.
  init(_ lines: ChatLines, in context: Context) throws {
    self.lines = lines
    // The conversation is always text, even if the final report is JSON.
    self.context = context.inWords
    terminal = try context.terminal.lines(on: context.loop)
    begin = context.loop.now
  }

  var state: ChatState { lines.state }

  var source: @Sendable (@escaping TerminalInputTeller<ChatNews>) async -> Void {
    { [terminal, loop = context.loop] tell in
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          var ends = 0
          while ends < Self.endLimit, let bytes = try? await terminal.read() {
            ends = bytes.isEmpty ? ends + 1 : 0
            tell(bytes.isEmpty ? .inputEnded : .bytes(bytes, at: loop.now))
          }
        }
        group.addTask {
          while (try? await loop.sleep(for: .milliseconds(500))) != nil { tell(.tick) }
        }
      }
    }
  }

  mutating func restore() { terminal.restore() }

  mutating func handle(
    _ input: TerminalInput<ChatNews>
  ) async throws -> TerminalReaction<ChatEffect> {
    let now = begin.duration(to: context.loop.now)
    switch input {
    case .bytes(let bytes, _): return try await type(bytes, at: now)
    case .inputEnded: return try await perform(lines.leave(at: now))
    case .tick: return try await perform(lines.woke(at: now))
    case .news(let news): return try await perform(lines.take(news, at: now))
    case .failed(let error): throw error
    case .pause, .signal, .edited: return TerminalReaction()
    }
  }

  private mutating func type(
    _ bytes: [UInt8],
    at now: Duration
  ) async throws -> TerminalReaction<ChatEffect> {
    var effects: [ChatEffect] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\n"):
        let line = String(decoding: pending, as: UTF8.self).safeLine(limit: .max)
        pending = []
        effects += lines.type(line, at: now)
      case terminal.interrupt:
        // Ctrl-C leaves its echo on the screen, so the next line starts below it.
        await context.console.status(StyledText(""))
        effects += lines.interrupt(hasDraft: !pending.isEmpty, at: now)
        pending = []
      case terminal.suspension: terminal.suspend()
      default: pending.append(byte)
      }
    }
    return try await perform(effects)
  }

  /// A line without styles, wrapped on a terminal.
  private func rows(of line: StyledText) -> [StyledText] {
    let policy = context.console.policy
    let rows = policy.form == .eyes ? line.folded(to: policy.width) : [line]
    return rows.map { StyledText($0.plain) }
  }

  private func perform(_ effects: [ChatEffect]) async throws -> TerminalReaction<ChatEffect> {
    var reaction = TerminalReaction<ChatEffect>()
    for effect in effects {
      switch effect {
      case .say(let text): await context.console.status(StyledText(text))
      case .print(let lines):
        try await context.console.print(
          .step([], .lines(lines.flatMap(rows)))
        )
      case .leave: reaction.isOver = true
      default: reaction.effects.append(effect)
      }
    }
    return reaction
  }
}
