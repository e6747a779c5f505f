// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem

/// What a program on a terminal meets.
enum TerminalInput<News: Sendable>: Sendable {
  /// What was typed, as it was read at a moment.
  case bytes([UInt8], at: EventLoop.Instant)
  /// Nothing has followed what was typed for so long that it is complete.
  case pause
  case inputEnded
  case signal(TerminalEvent)
  case tick
  case news(News)
  /// The user's editor has ended, with the text or why there is none.
  case edited(String?, failure: String?)
  /// Where news come from there are no more, and why.
  case failed(any Error)
}

/// Takes what a program on a terminal meets, from any task.
typealias TerminalInputTeller<News: Sendable> = @Sendable (TerminalInput<News>) -> Void

/// What a program on a terminal wants of its owner.
struct TerminalReaction<Effect: Sendable> {
  var effects: [Effect] = []
  /// Whether the program is over.
  var isOver = false
}

/// How a program is used on a terminal: drawn, or line by line.
protocol TerminalFace<News, Effect> {
  associatedtype News: Sendable
  associatedtype Effect: Sendable

  /// Tells all that the terminal does, until the task is cancelled or the input ends.
  var source: @Sendable (@escaping TerminalInputTeller<News>) async -> Void { get }

  /// Takes what happens, one after the other.
  ///
  /// - Throws: Where the terminal cannot be written to any more, and what has failed.
  mutating func handle(
    _ input: TerminalInput<News>
  ) async throws -> TerminalReaction<Effect>

  /// Gives the terminal back; a second call does nothing.
  mutating func restore()
}
