// SPDX-License-Identifier: MIT

/// Where a turn stands.
package enum TurnStatus: Sendable, Equatable {
  /// There has been no turn.
  case idle
  case running
  /// Someone asked the turn to stop.
  case stopping
  case finished(TurnOutcome)
}
