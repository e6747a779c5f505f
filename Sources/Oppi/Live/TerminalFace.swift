// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem

enum TerminalInput<News: Sendable>: Sendable {
  /// Typed bytes, with the time of reading.
  case bytes([UInt8], at: EventLoop.Instant)
  /// No more bytes followed, so an escape sequence is complete.
  case pause
  case inputEnded
  case signal(TerminalEvent)
  case tick
  case news(News)
  /// The external editor exited, with the text or the reason why there is none.
  case edited(String?, failure: String?)
  /// The source of news failed.
  case failed(any Error)
}

/// Sends an input from any task.
typealias TerminalInputTeller<News: Sendable> = @Sendable (TerminalInput<News>) -> Void

/// The result of handling an input.
struct TerminalReaction<Effect: Sendable> {
  var effects: [Effect] = []
  /// Whether the program exits.
  var isOver = false
}

/// A form of a terminal program: drawn, or line by line.
protocol TerminalFace<News, Effect> {
  associatedtype News: Sendable
  associatedtype Effect: Sendable

  /// Reports the terminal's input until the task is cancelled or the input ends.
  var source: @Sendable (@escaping TerminalInputTeller<News>) async -> Void { get }

  /// Handles one input.
  ///
  /// - Throws: If the terminal cannot be written to; the error of a failed input.
  mutating func handle(
    _ input: TerminalInput<News>
  ) async throws -> TerminalReaction<Effect>

  /// Restores the terminal; a second call does nothing.
  mutating func restore()
}
