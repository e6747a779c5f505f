// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiRendering
import OppiSystem

/// A terminal on which whole lines are read and printed, and nothing is drawn.
struct LineDesk {
  enum Input: Sendable, Equatable {
    case line(String)
    /// Ctrl-C; `hasDraft` says whether it dropped an unfinished line.
    case interrupted(hasDraft: Bool)
  }

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
  var width: Int { context.console.policy.form == .eyes ? context.console.policy.width : .max }

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

  /// The complete lines in bytes that were read; handles Ctrl-Z.
  mutating func inputs(in bytes: [UInt8]) async -> [Input] {
    var inputs: [Input] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\n"):
        inputs.append(.line(takePending()))
      case terminal.interrupt:
        // Ctrl-C leaves its echo on the screen, so the next line starts below it.
        await context.console.status(StyledText(""))
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
  mutating func takeUnread() async -> (inputs: [Input], draft: String) {
    let inputs = await inputs(in: terminal.takeUnread())
    return (inputs, takePending())
  }

  // MARK: - Output

  /// Prints lines without styles, wrapped on a terminal.
  func print(_ lines: [StyledText]) async throws {
    let rows = lines.flatMap { $0.folded(to: width, indent: 2) }.map { StyledText($0.plain) }
    try await context.console.print(.step([], .lines(rows)))
  }
}
