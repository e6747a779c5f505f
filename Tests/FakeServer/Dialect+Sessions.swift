// SPDX-License-Identifier: MIT

import OppiModel

extension Dialect {
  // MARK: - The lifecycle

  /// Whether a stop clears the queue; otherwise the queue runs after the next prompt.
  var emptiesQueueAtStop: Bool { !isFirst }
  /// Whether REST shows sessions as last written instead of their current state.
  var showsWrittenSessions: Bool { isFirst }
  /// Whether all sessions are stopped when the server starts.
  var stopsSessionsAtLaunch: Bool { !isFirst }
  /// Whether sessions without an agent count as active unless stopped.
  var countsUnloadedSessions: Bool { isFirst }
  var countsCachedTokens: Bool { !isFirst }
  var sessionLimits: (perWorkspace: Int, total: Int) {
    switch stream {
    case .perSession: (3, 5)
    case .multiplexed: (20, 40)
    case .session: (200, 200)
    }
  }

  // MARK: - Creation

  var takesPromptsAtCreation: Bool { !isFirst }
  var usesUUIDs: Bool { hasSessionSockets }
  /// Whether the last model and thinking level are the defaults of new sessions.
  ///
  /// Otherwise only those that a client asked to persist.
  var remembersChoices: Bool { !hasSessionSockets }
  /// Whether a workspace has a default model.
  var hasWorkspaceModels: Bool { credential == .bearer }
  /// Whether an unknown model is replaced by the default; otherwise the agent does not start.
  var replacesUnknownModels: Bool { !hasSessionSockets }

  // MARK: - Prompts

  /// Whether a prompt is acknowledged before its agent accepts it, and a refused one is lost.
  var acknowledgesEarly: Bool { !hasSessionSockets }
  /// Whether the server's own gate asks for approval of calls.
  var asksForApproval: Bool { requests == .permissions }
}
