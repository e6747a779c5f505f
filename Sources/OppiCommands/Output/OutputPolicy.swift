// SPDX-License-Identifier: MIT

import CommandTable
package import OppiRendering

/// When output is coloured.
package enum ColorChoice: String, Sendable, CaseIterable, ArgumentValue {
  case auto
  case always
  case never
}

/// How output is to look, from the command line, the environment and where it goes.
package struct OutputPolicy: Sendable, Equatable {
  /// One JSON document or a stream of JSON Lines in place of words.
  package private(set) var isJSON: Bool
  /// Status messages are left out.
  package private(set) var isQuiet: Bool
  /// Steps are told that matter when something is wrong.
  package private(set) var isVerbose: Bool
  /// Aligned and truncated for eyes, in place of tab-separated full values.
  package var isForEyes: Bool { isOutputTerminal && !isJSON }
  private let isOutputTerminal: Bool
  package let theme: Theme
  package let errorTheme: Theme
  /// The width of a line in columns.
  package let width: Int

  /// Where the output goes.
  package struct Destination: Sendable {
    package var isOutputTerminal: Bool
    package var isErrorTerminal: Bool
    /// `nil` where no terminal knows it.
    package var width: Int?

    package init(isOutputTerminal: Bool, isErrorTerminal: Bool, width: Int?) {
      self.isOutputTerminal = isOutputTerminal
      self.isErrorTerminal = isErrorTerminal
      self.width = width
    }
  }

  /// Decides: the flag before `NO_COLOR`, that before `TERM=dumb`, that before the terminal.
  package init(
    options: GlobalOptions,
    environment: [String: String],
    destination: Destination
  ) {
    func theme(_ isTerminal: Bool) -> Theme {
      switch options.color {
      case .always: return .ansi
      case .never: return .plain
      case .auto:
        if !(environment["NO_COLOR"] ?? "").isEmpty { return .plain }
        if environment["TERM"] == "dumb" { return .plain }
        return isTerminal ? .ansi : .plain
      }
    }
    isJSON = options.isJSON
    isQuiet = options.isQuiet
    isVerbose = options.isVerbose
    isOutputTerminal = destination.isOutputTerminal
    self.theme = theme(destination.isOutputTerminal)
    errorTheme = theme(destination.isErrorTerminal)
    width = destination.width ?? environment["COLUMNS"].flatMap(Int.init) ?? 80
  }

  /// The same for another command line that writes to the same place.
  func with(_ options: GlobalOptions) -> OutputPolicy {
    var policy = self
    policy.isJSON = options.isJSON
    policy.isQuiet = options.isQuiet
    policy.isVerbose = options.isVerbose
    return policy
  }
}
