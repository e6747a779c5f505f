// SPDX-License-Identifier: MIT

import CommandTable

/// What starts the program where no person does.
enum Trigger: String, Sendable, CaseIterable, ArgumentValue {
  /// A job of cron.
  case cron
  /// A user's unit that a device brings up.
  case udev
  /// A key of the desktop.
  case hotkey

  static var placeholder: String { "TRIGGER" }

  /// The place, in a sentence.
  var place: String {
    switch self {
    case .cron: "under cron"
    case .udev: "in a unit that udev starts"
    case .hotkey: "behind a key"
    }
  }

  /// How a variable gets there.
  func remedy(for variable: String) -> String {
    switch self {
    case .cron: "write \(variable)=... above the jobs, with: crontab -e"
    case .udev: "write \(variable)=... to ~/.config/environment.d/oppi.conf and log in again"
    case .hotkey:
      "write \(variable)=... to ~/.config/environment.d/oppi.conf, or export it in ~/.profile, and "
        + "log in again"
    }
  }
}
