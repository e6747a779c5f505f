// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A terminal program that reads and prints whole lines, as a value: the counterpart of `Screen`.
protocol LineScreen: Sendable {
  associatedtype News: Sendable
  associatedtype Effect: Sendable

  /// Increases with each text that must be read before it is answered.
  var panelCount: Int { get }

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
  /// Ctrl-C; `hasDraft` tells whether it dropped an unfinished line.
  case interrupted(hasDraft: Bool)
  case inputEnded
  case tick
  /// Everything so far has been printed.
  case shown
  case news(News)
}

enum LineEffect<Effect: Sendable>: Sendable {
  /// A status message, which --quiet suppresses.
  case status(String)
  case print([StyledText])
  case perform(Effect)
  case leave
}

extension LineEffect: Equatable where Effect: Equatable {}
