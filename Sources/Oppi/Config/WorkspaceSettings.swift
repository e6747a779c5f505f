// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// The settings for one workspace: its own settings override those for all workspaces.
struct WorkspaceSettings: Sendable {
  let settings: ConfigFile.Settings
  /// The key of the workspace's own settings; `nil` if it has none.
  var name: String?

  /// Returns the value in effect; `nil` if none is set.
  func value<Value: ArgumentValue>(of key: ConfigKey, as type: Value.Type = Value.self) throws
    -> Value?
  {
    try settings.value(of: holding(key))
  }

  /// Returns the workspace's own value; `nil` if it has none.
  func ownValue<Value: ArgumentValue>(of key: ConfigKey, as type: Value.Type = Value.self) throws
    -> Value?
  {
    try name.flatMap { try settings.value(of: key.inWorkspace($0)) }
  }

  /// The source of the value in effect.
  func source(of key: ConfigKey) throws -> ValueSource {
    .setting(try holding(key), path: settings.path)
  }

  /// The key of the value in effect.
  private func holding(_ key: ConfigKey) throws(FileError) -> ConfigKey {
    guard let own = name.map(key.inWorkspace), try settings.text(of: own) != nil else { return key }
    return own
  }
}
