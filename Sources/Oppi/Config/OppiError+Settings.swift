// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Settings that do not exist, are not set or have an invalid value.
extension OppiError {
  static let noCurrentFolder = OppiError(
    .noInput,
    "the current folder no longer exists",
    hints: ["change to another folder"]
  )
  static let noWorkspaceHere = OppiError(
    .notSet,
    "no workspace is set for this folder",
    hints: ["set one with: oppi config here WORKSPACE"]
  )

  /// An unknown setting; the hint is the most similar name, else all names.
  static func noSuchSetting(_ name: String, closest close: String?, known: [String]) -> OppiError {
    OppiError(
      .noSuchSetting,
      "no setting '\(name.safeLine())'",
      hints: [close.map { "did you mean '\($0)'?" } ?? "settings: \(known.joined(separator: ", "))"]
    )
  }

  static func notSet(_ key: ConfigKey, path: String) -> OppiError {
    OppiError(
      .notSet,
      "\(key.name.asSetting) is not set in \(path)",
      hints: key.commandWords.map { ["set it with: oppi config set \($0) VALUE"] } ?? []
    )
  }

  /// A setting that applies to all workspaces only; `own` lists those of single workspaces.
  static func notOfWorkspaces(_ key: ConfigKey, own: String) -> OppiError {
    OppiError(
      .usage,
      "'\(key.name)' applies to all workspaces; give it without -w",
      hints: ["settings of a workspace: \(own)"]
    )
  }

  /// An invalid value on the command line; `reason` is, for example, `expects true or false`.
  static func invalidValue(_ value: String, of key: ConfigKey, because reason: String) -> OppiError
  {
    OppiError(.usage, "'\(key.name)' \(reason), not '\(value.safeLine())'")
  }

  /// An invalid value in the settings file; `reason` is, for example, `expects true or false`.
  static func invalidSetting(
    _ key: ConfigKey,
    text: String,
    path: String,
    because reason: String
  ) -> OppiError {
    OppiError(
      .badConfiguration,
      "\(key.name.asSetting) in \(path) \(reason), not '\(text.safeLine())'",
      hints: [correction(with: key.commandWords)]
    )
  }
}
