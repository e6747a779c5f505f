// SPDX-License-Identifier: MIT

/// A mechanism that starts the program without a terminal.
package enum Trigger: String, Sendable, CaseIterable {
  case cron
  /// A systemd user unit that a device starts.
  case udev
  /// A desktop keyboard shortcut.
  case hotkey
}
