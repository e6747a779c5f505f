// SPDX-License-Identifier: MIT

package import OppiModel

/// The settings of a watch.
package struct WatchRules: Sendable {
  package var way: ServerWatch.Way
  package var quietHours: QuietHours?
  /// The user's own notification command, with its arguments.
  package var command: [String]?
  /// Whether desktop notifications are off.
  package var isSilent: Bool
  /// The time after which a pending request is notified again, and then passed to the command.
  package var again: Duration?
  /// The user's command for requests that stay pending, with its arguments.
  package var escalationCommand: [String]?
  /// Finds the time after which the requests of a workspace are denied, `nil` for never.
  ///
  /// Its argument is `nil` for requests of an unknown workspace. It is `nil` itself if there is no
  /// such rule.
  package var denyAfter: (@Sendable (WorkspaceReference?) async throws -> Duration?)?

  package init(
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
package enum WatchError: Error, Sendable, Equatable {
  case runsAlready
}
