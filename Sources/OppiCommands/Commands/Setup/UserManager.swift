// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// The systemd manager of this user, as far as files tell of it.
struct UserManager {
  let context: Context

  /// Whether one listens.
  var isThere: Bool {
    guard let folder = context.nonEmpty("XDG_RUNTIME_DIR") else { return false }
    return names(in: "\(folder)/systemd").contains("private")
  }

  /// Whether systemd runs this machine.
  var isOnMachine: Bool { names(in: "/run/systemd").contains("system") }

  /// Whether it runs while the user is logged out, too, by loginctl(1).
  func lingers(for user: String) -> Bool { names(in: "/var/lib/systemd/linger").contains(user) }

  /// Whether the user has enabled a unit.
  func isEnabled(_ unit: SetupProgram.Unit) -> Bool {
    names(in: wants(unit)).contains(unit.name)
  }

  /// The folder of what the user has enabled for a target, be the unit in it or elsewhere.
  func wants(_ unit: SetupProgram.Unit) -> String {
    "\(context.paths.configHome)/systemd/user/\(unit.target).wants"
  }

  private func names(in folder: String) -> [String] {
    (try? context.files.names(in: folder)) ?? []
  }
}
