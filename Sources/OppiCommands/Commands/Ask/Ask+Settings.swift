// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension Ask.Options {
  /// The same with what the settings say where the command line says nothing.
  func completed(from settings: WorkspaceSettings) throws -> Ask.Options {
    var options = self
    options.onAsk = try onAsk ?? settings.value(of: .onAsk)
    return options
  }
}

extension WorkspaceSettings {
  /// What a new session gets where the command line says nothing; one that is there already keeps
  /// its model and its level.
  func sessionDefaults(beside options: Ask.Options) throws -> SessionDefaults {
    SessionDefaults(
      model: try options.model == nil ? value(of: .model) : nil,
      thinking: try options.thinking == nil ? value(of: .thinking) : nil
    )
  }
}

extension ConfigFile.Settings {
  /// Whether prompts and messages are kept in the history; a value that cannot be read may ask for
  /// none.
  var keepsHistory: Bool { (try? value(of: .history, as: Truth.self) ?? .true) == .true }
}

extension Context {
  /// The same with the time limit of the settings where the command line has none.
  func limited(by settings: WorkspaceSettings) throws -> Context {
    var options = options
    if options.timeout == nil {
      options.timeout = try settings.value(of: .timeout, as: TimeLimit.self)?.duration
    }
    return with(options)
  }
}
