// SPDX-License-Identifier: MIT

/// What starts the program without a person at a terminal.
package enum Trigger: String, Sendable, CaseIterable {
  /// A job of cron.
  case cron
  /// A user's unit that a device starts.
  case udev
  /// A key of the desktop.
  case hotkey
}
