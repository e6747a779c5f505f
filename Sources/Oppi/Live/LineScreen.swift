// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A terminal program that reads and prints whole lines, as a value: the counterpart of `Screen`.
protocol LineScreen: Sendable {
  associatedtype News: Sendable
  associatedtype Effect: Sendable

  /// Increases when the meaning of a line changes by itself: with each text that must be read before
  /// it is answered, and when one is gone.
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
