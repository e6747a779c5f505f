// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
package import OppiRendering
import OppiSystem

/// When output is coloured.
package enum ColorChoice: String, Sendable, CaseIterable, ArgumentValue {
  case auto
  case always
  case never
}

/// Whom standard output is for.
package enum OutputForm: Sendable, Equatable {
  /// A program that asked for JSON: one document, or a stream of JSON Lines.
  case json
  /// A person at a terminal: aligned, coloured and cut to the width.
  case eyes
  /// Another program, or a file: full values with tabs between them.
  case pipe
}

/// How output is to look, from the command line, the environment and where it goes.
package struct OutputPolicy: Sendable, Equatable {
  package var form: OutputForm {
    if isJSON { return .json }
    return destination.isOutputTerminal ? .eyes : .pipe
  }
  /// Status messages are left out.
  package private(set) var isQuiet: Bool
  /// Steps are told that matter when something is wrong.
  package private(set) var isVerbose: Bool
  private var isJSON: Bool
  package let destination: Destination
  package let theme: Theme
  package let errorTheme: Theme
  /// The width of a line in columns.
  package let width: Int

  /// Where the output goes, and whether a terminal has the input.
  package struct Destination: Sendable, Equatable {
    /// Whether keys can be asked for.
    package var isInputTerminal: Bool
    /// Whether the answer is shown to a person.
    package var isOutputTerminal: Bool
    /// Whether everything else is.
    package var isErrorTerminal: Bool
    /// `nil` where no terminal knows it.
    package var width: Int?
    /// `nil` where no terminal knows it.
    package var height: Int?

    /// Whether somebody sits there to talk with.
    package var isConversation: Bool { isInputTerminal && isOutputTerminal }

    package init(
      isInputTerminal: Bool = false,
      isOutputTerminal: Bool,
      isErrorTerminal: Bool,
      width: Int?,
      height: Int? = nil
    ) {
      self.isInputTerminal = isInputTerminal
      self.isOutputTerminal = isOutputTerminal
      self.isErrorTerminal = isErrorTerminal
      self.width = width
      self.height = height
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
    self.destination = destination
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

extension OutputPolicy {
  /// An error as it is told: one line of JSON, or the error and its hints.
  func text(of error: OppiError) -> String {
    switch form {
    case .json: error.json.text()
    case .eyes, .pipe:
      error.lines.flatMap { folded(StyledText($0), indent: Self.errorIndent) }
        .map(\.plain).joined(separator: "\n")
    }
  }

  /// What errors and hints go on with below their first row.
  private static let errorIndent = 4

  /// A line of standard error, folded at words where a person reads it.
  func folded(_ line: StyledText, indent: Int? = nil) -> [StyledText] {
    destination.isErrorTerminal ? line.folded(to: width, indent: indent) : [line]
  }

  /// A warning as it is told: one line, of JSON where the answer is.
  func text(ofWarning message: String) -> String {
    guard form != .json else {
      return JSONValue.object(["warning": ["message": .string(message)]]).text()
    }
    var line = StyledText("oppi: warning: ", .warning)
    line.append(message)
    return folded(line, indent: Self.errorIndent).map(errorTheme.render).joined(separator: "\n")
  }
}

extension OutputPolicy.Destination {
  /// What the process's own streams are.
  static var standardStreams: OutputPolicy.Destination {
    OutputPolicy.Destination(
      isInputTerminal: Terminal.isTerminal(.input),
      isOutputTerminal: Terminal.isTerminal(.output),
      isErrorTerminal: Terminal.isTerminal(.errors),
      width: Terminal.width(of: .output) ?? Terminal.width(of: .errors),
      height: Terminal.height(of: .output) ?? Terminal.height(of: .errors)
    )
  }
}
