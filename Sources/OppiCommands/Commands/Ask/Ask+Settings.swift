// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension Ask.Options {
  /// The same with what the settings say where the command line says nothing.
  ///
  /// A session that is there already keeps its model and its level.
  func completed(
    from settings: WorkspaceSettings,
    isNewSession: Bool
  ) throws -> Ask.Options {
    var options = self
    options.onAsk = try onAsk ?? settings.value(of: .onAsk)
    guard isNewSession else { return options }
    options.model = try model ?? settings.value(of: .model)
    options.thinking = try thinking ?? settings.value(of: .thinking)
    return options
  }
}

extension Context {
  /// The same with the time limit of the settings where the command line has none.
  func limited(by settings: WorkspaceSettings) throws -> Context {
    var options = options
    options.timeout = try options.timeout ?? settings.value(of: .timeout)
    return with(options)
  }
}
