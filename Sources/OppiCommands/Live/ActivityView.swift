// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiTransport

/// Shows a turn as it goes on.
protocol ActivityView {
  /// How often it wants to be asked to draw while nothing happens; `nil` where it has no animation.
  var tick: Duration? { get }

  /// Shows what has changed, and how things stand then; what is past happened before anybody looked.
  mutating func show(
    _ changes: [ActivityChange],
    _ activity: TurnActivity,
    at now: Timestamp,
    isPast: Bool
  ) throws

  /// Shows that time has passed.
  mutating func draw(_ activity: TurnActivity, at now: Timestamp) throws

  /// Tells something about the connection.
  mutating func note(_ text: String) throws

  /// Leaves the last picture and gives the terminal back.
  mutating func end() throws
}

/// Shows nothing.
struct SilentView: ActivityView {
  var tick: Duration? { nil }

  mutating func show(
    _ changes: [ActivityChange],
    _ activity: TurnActivity,
    at now: Timestamp,
    isPast: Bool
  ) {}
  mutating func draw(_ activity: TurnActivity, at now: Timestamp) {}
  mutating func note(_ text: String) {}
  mutating func end() {}
}

/// One line for each change: for files, logs and screen readers.
struct PlainView: ActivityView {
  private let console: Console
  private let isAnswer: Bool
  private var plain = PlainActivity()

  /// Writes to standard output where the lines are the command's answer, else to standard error.
  init(console: Console, isAnswer: Bool) {
    self.console = console
    self.isAnswer = isAnswer
  }

  var tick: Duration? { nil }

  mutating func show(
    _ changes: [ActivityChange],
    _ activity: TurnActivity,
    at now: Timestamp,
    isPast: Bool
  ) throws {
    for change in changes {
      for line in plain.lines(for: change, isPast: isPast) { try write(line) }
    }
  }

  mutating func draw(_ activity: TurnActivity, at now: Timestamp) {}

  mutating func note(_ text: String) throws {
    console.status(StyledText(text))
  }

  mutating func end() throws {
    for line in plain.flush() { try write(line) }
  }

  private func write(_ line: String) throws {
    if isAnswer { try console.print(line) } else { console.status(StyledText(line)) }
  }
}

/// JSON Lines, one object for each change.
struct JSONView: ActivityView {
  let console: Console
  let sessionID: String

  var tick: Duration? { nil }

  mutating func show(
    _ changes: [ActivityChange],
    _ activity: TurnActivity,
    at now: Timestamp,
    isPast: Bool
  ) throws {
    for change in changes {
      for line in ActivityJSON.lines(for: change, sessionID: sessionID, at: now, isPast: isPast) {
        try console.print(line)
      }
    }
  }

  mutating func draw(_ activity: TurnActivity, at now: Timestamp) {}

  mutating func note(_ text: String) {
    console.detail(text)
  }

  mutating func end() {}
}
