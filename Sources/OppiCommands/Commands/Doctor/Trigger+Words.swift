// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
package import OppiModel
import OppiSystem

extension Trigger: ArgumentValue {
  package static var placeholder: String { "TRIGGER" }

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

extension TriggerEnvironment {
  /// The line before the report.
  var summary: String {
    "\(trigger.place), as \(sourceWords): \(variables.keys.sorted().joined(separator: " "))"
      .safeLine()
  }

  private var sourceWords: String {
    switch source {
    case .cron(let setsVariables):
      "cron starts its jobs" + (setsVariables ? " below what crontab sets" : "")
    case .userManager: "the user's systemd manager has it"
    case .guessWithoutManager: "a guess, for no user manager tells"
    case .process(let holder): "\(holder.name) (process \(holder.id)) was started"
    case .guessWithoutDesktop: "a guess, for no desktop of yours runs"
    }
  }

  /// The members of the object: values may be secret, and stay out.
  static let shape: JSONShape<TriggerEnvironment> = [
    .member("trigger", "cron, udev or hotkey") { .string($0.trigger.rawValue) },
    .member("source", "From what its variables are known") { .string($0.sourceWords) },
    .member("variables", "The names of its variables") {
      .array($0.variables.keys.sorted().map(JSONValue.string))
    },
  ]
}
