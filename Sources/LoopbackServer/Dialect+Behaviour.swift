// SPDX-License-Identifier: MIT

import OppiModel

/// What servers of a dialect do differently.
extension PairedServer.Dialect {
  private var isCurrent: Bool { self == .multiplexed }

  // MARK: - Streams

  /// Whether streams tell that a message of the model begins and ends.
  var announcesTurns: Bool { !isCurrent }
  /// Whether streams tell what waits in the queue.
  var announcesQueue: Bool { isCurrent }
  /// Whether streams tell of a call while the model still writes its arguments.
  var streamsArguments: Bool { isCurrent }
  /// Whether streams tell that requests for approval are void, and that a session's end was forced.
  var explainsForcedEnds: Bool { isCurrent }
  /// Whether an answer to a request for approval is confirmed.
  var confirmsDecisions: Bool { isCurrent }
  /// Whether a message that is no JSON is refused in the words of the JSON parser.
  var quotesParser: Bool { !isCurrent }

  // MARK: - Sessions

  /// Whether a stop drops what was queued; elsewhere it runs behind the next prompt.
  var emptiesQueueAtStop: Bool { isCurrent }
  /// Whether sessions are shown as they were written last, and not as they are.
  var showsWrittenSessions: Bool { !isCurrent }
  /// Whether a server that starts marks every session as stopped.
  var stopsSessionsAtLaunch: Bool { isCurrent }
  /// Whether sessions that were never loaded count as active.
  var countsUnloadedSessions: Bool { !isCurrent }
  /// Whether a session can be created with a prompt.
  var takesPromptsAtCreation: Bool { isCurrent }
  /// Whether sessions tell how many tokens came out of a cache.
  var countsCachedTokens: Bool { isCurrent }
  /// How many agents may be loaded, unless it is said otherwise.
  var sessionLimits: (perWorkspace: Int, total: Int) { isCurrent ? (20, 40) : (3, 5) }
}
