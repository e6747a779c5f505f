// SPDX-License-Identifier: MIT

import OppiSystem

/// Where a name that a command uses was given.
enum ValueSource: Sendable, Equatable {
  /// An option, such as `--workspace`.
  case option(String)
  /// A variable of the environment.
  case variable(String)
  /// A shortcut of this name.
  case shortcut(String)
  /// A setting in a file.
  case setting(ConfigKey, path: String)

  /// The place in words, such as `$OPPI_WORKSPACE`.
  var words: String {
    switch self {
    case .option(let name): name
    case .variable(let name): "$\(name)"
    case .shortcut(let name): "the shortcut \(name)"
    case .setting(let key, let path): "\(key.name.asSetting) in \(path)"
    }
  }
}

extension OppiError {
  /// The same where it is about a name, with where that was given.
  func tracing(_ source: ValueSource) -> OppiError {
    switch code {
    case .noSuchWorkspace, .noSuchServer, .noSuchModel, .ambiguousName:
      var error = self
      error.message += " (from \(source.words))"
      return error
    default: return self
    }
  }
}
