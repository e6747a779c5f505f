// SPDX-License-Identifier: MIT

import OppiModel

/// The settings of a watch.
struct WatchRules: Sendable {
  var way: ServerWatch.Way
  var quietHours: QuietHours?
  /// The user's own notification command, with its arguments.
  var command: [String]?
  /// Whether desktop notifications are off.
  var isSilent: Bool
  /// The time after which a pending request is notified again, and then passed to the command.
  var again: Duration?
  /// The user's command for requests that stay pending, with its arguments.
  var escalationCommand: [String]?
  /// Finds the time after which the requests of a workspace are denied, `nil` for never.
  ///
  /// Its argument is `nil` for requests of an unknown workspace. It is `nil` itself if there is no
  /// such rule.
  var denyAfter: (@Sendable (WorkspaceReference?) async throws -> Duration?)?

  init(
    way: ServerWatch.Way,
    quietHours: QuietHours? = nil,
    command: [String]? = nil,
    isSilent: Bool = false
  ) {
    self.way = way
    self.quietHours = quietHours
    self.command = command
    self.isSilent = isSilent
  }

  var escalation: EscalationRules {
    EscalationRules(again: again, escalates: escalationCommand != nil)
  }

  /// Whether any step is taken for requests that stay pending.
  var escalates: Bool { again != nil || denyAfter != nil }
}

/// Why a watch cannot start.
enum WatchError: Error, Sendable, Equatable {
  case runsAlready
}
