// SPDX-License-Identifier: MIT

import OppiSystem

/// Where a name was specified.
enum ValueSource: Sendable, Equatable {
  /// An option, such as `--workspace`.
  case option(String)
  /// An environment variable.
  case variable(String)
  /// The name of a shortcut.
  case shortcut(String)
  case setting(ConfigKey, path: String)

  /// The source as text, such as `$OPPI_WORKSPACE`.
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
  /// The error with the source of the name that it is about; unchanged for other errors.
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
