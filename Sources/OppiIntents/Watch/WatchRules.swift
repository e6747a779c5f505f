// SPDX-License-Identifier: MIT

package import OppiModel

/// How a watch works.
package struct WatchRules: Sendable {
  package var way: ServerWatch.Way
  package var quietHours: QuietHours?
  /// The user's own program for notifications, with its arguments.
  package var command: [String]?
  /// Whether nothing is shown on the desktop.
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

/// Why a watch cannot begin.
package enum WatchError: Error, Sendable, Equatable {
  /// Another watch of this user is running.
  case runsAlready
}
