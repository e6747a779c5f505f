// SPDX-License-Identifier: MIT

import OppiModel

/// Shows a turn while it is watched.
protocol TurnObserver {
  /// How often to call ``draw(_:at:)`` while nothing happens; `nil` without an animation.
  var tick: Duration? { get }

  /// Shows changes and the state after them; `isPast` marks changes from before the connection.
  mutating func show(
    _ changes: [ActivityChange],
    _ activity: TurnActivity,
    at now: Timestamp,
    isPast: Bool
  ) async throws

  /// Updates the display after time has passed.
  mutating func draw(_ activity: TurnActivity, at now: Timestamp) async throws

  /// The connection was lost; it is retried until ``regained()``.
  mutating func lost(_ error: IntentError) async throws

  mutating func regained() async throws

  /// Draws the final state, and restores the terminal.
  mutating func end() async throws
}
