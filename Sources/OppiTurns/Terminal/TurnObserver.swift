// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiModel
import OppiTerminal
package import OppiText

/// Shows a turn while it is watched.
package protocol TurnObserver {
  /// How often to call ``draw(_:at:)`` while nothing happens; `nil` without an animation.
  var tick: Duration? { get }

  /// Shows changes and the state after them; `isPast` marks changes from before the connection.
  mutating func show(
    _ changes: [ActivityChange],
    _ turn: Turn,
    at now: Timestamp,
    isPast: Bool
  ) async throws

  /// Updates the display after time has passed.
  mutating func draw(_ turn: Turn, at now: Timestamp) async throws

  /// Shows a notice about the connection.
  mutating func note(_ text: String) async throws

  /// The connection was lost; it is retried until ``regained()``.
  mutating func lost(_ error: OppiError) async throws

  mutating func regained() async throws

  /// Draws the final state, and restores the terminal.
  mutating func end() async throws
}

extension TurnObserver {
  var tick: Duration? { nil }

  mutating func draw(_ turn: Turn, at now: Timestamp) {}

  mutating func lost(_ error: OppiError) async throws {
    try await note("connection lost (\(error.message)); retrying")
  }

  mutating func regained() async throws {
    try await note("reconnected")
  }
}

extension [ActivityChange] {
  /// The lines about pending input.
  func needLines(of sessionID: String) -> [String] {
    compactMap(\.need).flatMap { $0.lines(sessionID: sessionID) }
  }
}

/// Shows only pending input, and only if the command waits for user input.
struct NeedView: TurnObserver {
  let output: Output
  let sessionID: String
  let isHumanAwaited: Bool

  mutating func show(
    _ changes: [ActivityChange],
    _ turn: Turn,
    at now: Timestamp,
    isPast: Bool
  ) async throws {
    guard isHumanAwaited else { return }
    for line in changes.needLines(of: sessionID) {
      try await output.print(.step(status: StyledText(line)))
    }
  }

  mutating func note(_ text: String) {}
  mutating func end() {}
}

/// Prints one line per change: to standard output, as JSON or as text for files, logs and screen
/// readers, or aside as text to standard error.
struct LineView: TurnObserver {
  private let output: Output
  private let sessionID: String
  private let isAside: Bool
  private var plain: PlainActivity

  init(output: Output, sessionID: String, isAside: Bool = false, labels: PlainActivity.Labels) {
    (self.output, self.sessionID, self.isAside) = (output, sessionID, isAside)
    plain = PlainActivity(labels)
  }

  mutating func show(
    _ changes: [ActivityChange],
    _ turn: Turn,
    at now: Timestamp,
    isPast: Bool
  ) async throws {
    let output = output
    for change in changes {
      guard !isAside else {
        await printAside(plain.lines(for: change, isPast: isPast))
        continue
      }
      try await output.print(
        ActivityJSON.lines(for: change, sessionID: sessionID, at: now, isPast: isPast),
        or: plain.lines(for: change, isPast: isPast).map { StyledText($0) }
      )
    }
  }

  mutating func note(_ text: String) async throws {
    if isAside { return await printAside([text]) }
    try await output.print(.step(status: StyledText(text)))
  }

  mutating func end() async throws {
    let rest = plain.flush()
    if isAside { return await printAside(rest) }
    try await output.print(.step([], .lines(rest.map { StyledText($0) })))
  }

  private func printAside(_ lines: [String]) async {
    for line in lines { await output.status(StyledText(line)) }
  }
}

/// Finished rows that wait to be printed: for the next frame, or until the program is in the
/// foreground.
struct WaitingRows: Sendable {
  /// The most rows that are kept in the background.
  static let limit = 10_000

  private var rows: [StyledText] = []
  private var droppedCount = 0

  /// Adds rows; in the background, the oldest beyond the limit are dropped and counted.
  mutating func add(_ more: [StyledText], isInForeground: Bool) {
    rows += more
    let surplus = rows.count - Self.limit
    guard surplus > 0, !isInForeground else { return }
    rows.removeFirst(surplus)
    droppedCount += surplus
  }

  /// Removes and returns the rows, after a notice about those that were dropped.
  mutating func take() -> [StyledText] {
    defer { self = WaitingRows() }
    guard droppedCount > 0 else { return rows }
    let text = "\(droppedCount) rows were not kept in the background; 'oppi show' has them"
    return [StyledText(text, .warning)] + rows
  }
}
