// SPDX-License-Identifier: MIT

import OppiModel

/// The differences between the servers of each dialect.
extension Dialect {
  private var isCurrent: Bool { self == .multiplexed }

  // MARK: - Streams

  /// Whether streams announce the start and end of each message of the model.
  var announcesTurns: Bool { !isCurrent }
  var announcesQueue: Bool { isCurrent }
  /// Whether streams announce a call while the model still writes its arguments.
  var streamsArguments: Bool { isCurrent }
  /// Whether streams announce cancelled requests for approval and forced ends of sessions.
  var explainsForcedEnds: Bool { isCurrent }
  var confirmsDecisions: Bool { isCurrent }
  /// Whether the error for invalid JSON is the message of the JSON parser.
  var quotesParser: Bool { !isCurrent }

  // MARK: - Sessions

  /// Whether a stop clears the queue; otherwise the queue runs after the next prompt.
  var emptiesQueueAtStop: Bool { isCurrent }
  /// Whether REST shows sessions as last written instead of their current state.
  var showsWrittenSessions: Bool { !isCurrent }
  /// Whether all sessions are stopped when the server starts.
  var stopsSessionsAtLaunch: Bool { isCurrent }
  /// Whether sessions without an agent count as active unless stopped.
  var countsUnloadedSessions: Bool { !isCurrent }
  var takesPromptsAtCreation: Bool { isCurrent }
  var countsCachedTokens: Bool { isCurrent }
  var sessionLimits: (perWorkspace: Int, total: Int) { isCurrent ? (20, 40) : (3, 5) }
}
