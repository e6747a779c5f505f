// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

extension Trigger: ArgumentValue {
  static var placeholder: String { "TRIGGER" }

  /// The phrase for a sentence.
  var place: String {
    switch self {
    case .cron: "under cron"
    case .udev: "in a unit started by udev"
    case .hotkey: "for a hotkey"
    }
  }

  /// How to set a variable for the trigger.
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

extension TriggerEnvironment {
  var summary: String {
    "\(trigger.place), \(sourceWords): \(variables.keys.sorted().joined(separator: " "))"
      .safeLine()
  }

  private var sourceWords: String {
    switch source {
    case .cron(let setsVariables):
      "set by cron" + (setsVariables ? " with the variables of the crontab" : "")
    case .userManager: "reported by the systemd user manager"
    case .guessWithoutManager: "guessed, no user manager found"
    case .process(let holder): "from \(holder.name) (process \(holder.id))"
    case .guessWithoutDesktop: "guessed, no desktop is running"
    }
  }

  /// Contains no values, because they may be secret.
  static let shape: JSONShape<TriggerEnvironment> = [
    .text("trigger", "cron, udev or hotkey") { $0.trigger.rawValue },
    .text("source", "The source of its variables") { $0.sourceWords },
    .member("variables", "The names of its variables") {
      .array($0.variables.keys.sorted().map(JSONValue.string))
    },
  ]
}
