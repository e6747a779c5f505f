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
  package let isJSON: Bool
  /// Status messages are left out.
  package let isQuiet: Bool
  /// Aligned and truncated for eyes, in place of tab-separated full values.
  package let isForEyes: Bool
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
    isForEyes = destination.isOutputTerminal && !options.isJSON
    self.theme = theme(destination.isOutputTerminal)
    errorTheme = theme(destination.isErrorTerminal)
    width = destination.width ?? environment["COLUMNS"].flatMap(Int.init) ?? 80
  }
}
