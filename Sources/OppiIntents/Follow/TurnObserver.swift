// SPDX-License-Identifier: MIT

package import OppiModel

/// Who looks on while a turn is watched.
package protocol TurnObserver {
  /// How often it wants to be asked to draw while nothing happens; `nil` where it has no animation.
  var tick: Duration? { get }

  /// Shows what has changed, and how things stand then; what is past happened before anybody looked.
  mutating func show(
    _ changes: [ActivityChange],
    _ activity: TurnActivity,
    at now: Timestamp,
    isPast: Bool
  ) async throws

  /// Shows that time has passed.
  mutating func draw(_ activity: TurnActivity, at now: Timestamp) async throws

  /// Tells that the connection is gone, and when it is tried again.
  mutating func lost(_ error: IntentError, retryIn pause: Duration) async throws

  /// Tells that the connection is there again.
  mutating func regained() async throws

  /// Leaves the last picture and gives the terminal back.
  mutating func end() async throws
}
