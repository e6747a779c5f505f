// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// The settings as they hold in one workspace: its own first, then those for all.
struct WorkspaceSettings: Sendable {
  let settings: ConfigFile.Settings
  /// The name under which the workspace has settings of its own; `nil` where it has none.
  var name: String?

  /// Returns the value that holds, `nil` where none is set.
  func value<Value: ArgumentValue>(of key: ConfigKey, as type: Value.Type = Value.self) throws
    -> Value?
  {
    try settings.value(of: holding(key))
  }

  /// Returns the value that the workspace has of its own, `nil` where it has none.
  func ownValue<Value: ArgumentValue>(of key: ConfigKey, as type: Value.Type = Value.self) throws
    -> Value?
  {
    try name.flatMap { try settings.value(of: key.inWorkspace($0)) }
  }

  /// Where the value that holds is set.
  func source(of key: ConfigKey) throws -> ValueSource {
    .setting(try holding(key), path: settings.path)
  }

  /// The key whose value holds.
  private func holding(_ key: ConfigKey) throws(FileError) -> ConfigKey {
    guard let own = name.map(key.inWorkspace), try settings.text(of: own) != nil else { return key }
    return own
  }
}
