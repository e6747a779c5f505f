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
}

/// Why a watch cannot start.
package enum WatchError: Error, Sendable, Equatable {
  case runsAlready
}
