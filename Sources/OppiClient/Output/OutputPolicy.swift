// SPDX-License-Identifier: MIT

import OppiSystem
package import OppiTerminal
import OppiText

/// The form of standard output.
package enum OutputForm: Sendable, Equatable {
  /// With `--json`: one document, or a stream of JSON Lines.
  case json
  /// A terminal: aligned, coloured and truncated to the width.
  case terminal
  /// A pipe or file: full values with tabs between them.
  case pipe
}

/// How to print, from the command line, the environment and the destination.
package struct OutputPolicy: Sendable, Equatable {
  package var form: OutputForm {
    if isJSON { return .json }
    return destination.isOutputTerminal ? .terminal : .pipe
  }
  /// Whether to omit status messages.
  package private(set) var isQuiet: Bool
  /// Whether to print details for troubleshooting.
  private(set) var isVerbose: Bool
  private var isJSON: Bool
  /// Why lines are printed for screen readers instead of drawn; `nil` if they are not.
  package private(set) var accessible: AccessibleMode?
  /// Why a program prints lines instead of drawing; `nil` if it draws.
  package var lineMode: AccessibleMode? { accessible ?? (isDumb ? .byTerminal : nil) }
  /// Whether neither the command line nor the environment decides on the accessible mode.
  private(set) var isModeOpen: Bool
  /// Whether the terminal cannot move its cursor.
  private let isDumb: Bool
  package let destination: Destination
  package private(set) var theme: Theme
  package private(set) var errorTheme: Theme
  /// Whether a program that draws adapts the theme to the background of the terminal.
  package private(set) var followsBackground: Bool
  /// Whether a program on the whole screen gets the mouse.
  package var capturesMouse = false
  /// In columns.
  package let width: Int
  /// Whether links on the terminal of standard output can be opened.
  let links: Bool
  /// What standard output can show instead of the marks of Markdown; listeners hear them.
  package var look: MarkdownLook {
    if accessible != nil { return .spoken }
    guard theme.isStyled else { return .marked }
    return links ? .linked : .styled
  }

  /// The terminals of the standard streams.
  package struct Destination: Sendable, Equatable {
    package var isInputTerminal: Bool
    var isOutputTerminal: Bool
    package var isErrorTerminal: Bool
    /// `nil` if no terminal reports it.
    package var width: Int?
    /// `nil` if no terminal reports it.
    package var height: Int?

    /// Whether a user can interact with the program.
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

  /// For colours, the order of precedence is the option, `NO_COLOR`, `TERM=dumb`, the terminal.
  package init(
    options: GlobalOptions,
    environment: [String: String],
    destination: Destination
  ) {
    let depth = ColorDepth(environment: environment)
    let styled = Theme(
      environment["TERM"] == "linux" ? .linuxConsole : .standard,
      depth: depth
    )
    func theme(_ isTerminal: Bool) -> Theme {
      switch options.color {
      case .always: return styled
      case .never: return .plain
      case .auto:
        if !(environment["NO_COLOR"] ?? "").isEmpty { return .plain }
        if environment["TERM"] == "dumb" { return .plain }
        return isTerminal ? styled : .plain
      }
    }
    isJSON = options.isJSON
    isQuiet = options.isQuiet
    isVerbose = options.isVerbose
    let isWanted = AccessibleMode.isEnabled(in: environment)
    accessible = options.isAccessible ? .byOption : isWanted == true ? .byVariable : nil
    isModeOpen = !options.isAccessible && isWanted == nil
    isDumb = ["", "dumb"].contains(environment["TERM"] ?? "")
    self.destination = destination
    self.theme = theme(destination.isOutputTerminal)
    errorTheme = theme(destination.isErrorTerminal)
    followsBackground = theme(destination.isOutputTerminal).scheme == .standard
    links =
      theme(destination.isOutputTerminal).hasLinks && destination.isOutputTerminal
      && TerminalLinks.work(in: environment)
    width = destination.width ?? environment["COLUMNS"].flatMap(Int.init) ?? 80
  }

  /// The same policy for another command line with the same destination.
  func with(_ options: GlobalOptions) -> OutputPolicy {
    var policy = self
    policy.isJSON = options.isJSON
    policy.isQuiet = options.isQuiet
    policy.isVerbose = options.isVerbose
    if options.isAccessible { (policy.accessible, policy.isModeOpen) = (.byOption, false) }
    return policy
  }

  /// The same policy with the setting of the accessible mode.
  func applying(isAccessible: Bool) -> OutputPolicy {
    var policy = self
    if isAccessible, isModeOpen { policy.accessible = .bySetting }
    return policy
  }

  /// Whether the settings decide on a theme, and not the command line or the environment.
  var hasOpenTheme: Bool { [theme, errorTheme].contains { $0.scheme == .standard } }

  /// The same policy with the theme of the settings where they decide on it.
  func applying(_ choice: ThemeChoice, replacing colors: [Style: Appearance]) -> OutputPolicy {
    func chosen(_ theme: Theme) -> Theme {
      guard theme.scheme == .standard else { return theme }
      return Theme(choice.scheme ?? .standard, depth: theme.depth, replacing: colors)
    }
    var policy = self
    (policy.theme, policy.errorTheme) = (chosen(theme), chosen(errorTheme))
    policy.followsBackground = followsBackground && choice.scheme == nil
    return policy
  }

  /// Whether a terminal may be drawn on: its cursor can be moved, and no lines are wanted instead.
  package var canDraw: Bool { lineMode == nil }
}

extension OutputPolicy {
  /// A printed error: one line of JSON, or the error and its hints.
  package func text(of error: OppiError) -> String {
    switch form {
    case .json: error.json.text()
    case .terminal, .pipe:
      error.lines.flatMap { folded(StyledText($0), indent: Self.errorIndent) }
        .map(\.plain).joined(separator: "\n")
    }
  }

  /// The indent of wrapped rows of errors and hints.
  private static let errorIndent = 4

  /// A line of standard error, wrapped on a terminal.
  func folded(_ line: StyledText, indent: Int? = nil) -> [StyledText] {
    destination.isErrorTerminal ? line.folded(to: width, indent: indent) : [line]
  }

  /// A printed warning, as one line of JSON with `--json`.
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
  /// The destination of the process's own streams.
  package static var standardStreams: OutputPolicy.Destination {
    let (output, errors) = (StandardStream.output.descriptor, StandardStream.errors.descriptor)
    let (window, other) = (Terminal.window(of: output), Terminal.window(of: errors))
    return OutputPolicy.Destination(
      isInputTerminal: Terminal.isTerminal(StandardStream.input.descriptor),
      isOutputTerminal: Terminal.isTerminal(output),
      isErrorTerminal: Terminal.isTerminal(errors),
      width: window.columns ?? other.columns,
      height: window.rows ?? other.rows
    )
  }
}

/// The output for screen readers and Braille displays: complete, labelled lines in their order, and
/// no redrawing.
///
/// The option decides, then the environment, then the setting. Only this type reads them.
package enum AccessibleMode: Sendable, Equatable {
  /// With `--accessible`.
  case byOption
  case byVariable
  case bySetting
  /// A terminal without cursor control; lists stay tables there.
  case byTerminal

  static let variable = "ACCESSIBLE"

  /// What the environment says; `nil` if it does not decide.
  static func isEnabled(in environment: [String: String]) -> Bool? {
    let value = environment[variable] ?? ""
    return value.isEmpty ? nil : value != "0"
  }

  /// What is printed first: what has enabled the mode, and how to leave it.
  var announcement: StyledText {
    let (cause, end) =
      switch self {
      case .byOption: ("the option --accessible", "run the command without it")
      case .byVariable: ("the variable \(Self.variable)", "unset it, or set it to 0")
      case .bySetting: ("the setting accessible", "run: oppi config set accessible false")
      case .byTerminal: ("a terminal without cursor control (TERM)", "use another terminal")
      }
    return StyledText(
      "Accessible mode is on because of \(cause): nothing is redrawn. To leave it, \(end)."
    )
  }
}

/// Whether a terminal opens links (OSC 8).
///
/// Only terminals that are known to do so count, because a link hides its address. Inside tmux and
/// screen, the outer terminal is unknown. `FORCE_HYPERLINK` overrides the detection.
enum TerminalLinks {
  private static let names: Set = [
    "alacritty", "contour", "foot", "foot-extra", "wezterm", "xterm-ghostty", "xterm-kitty",
  ]
  private static let programs: Set = ["ghostty", "iTerm.app", "vscode", "WezTerm"]

  static func work(in environment: [String: String]) -> Bool {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let forced = value("FORCE_HYPERLINK") { return forced != "0" }
    let name = value("TERM") ?? "dumb"
    guard value("TMUX") == nil, value("STY") == nil, name != "dumb" else { return false }
    if names.contains(name) || value("TERM_PROGRAM").map(programs.contains) == true { return true }
    // The first versions that support links: VTE 0.50, Konsole 20.12.
    return value("WT_SESSION") != nil || isAtLeast(5000, value("VTE_VERSION"))
      || isAtLeast(201_200, value("KONSOLE_VERSION"))
  }

  private static func isAtLeast(_ least: Int, _ version: String?) -> Bool {
    version.flatMap { Int($0) }.map { $0 >= least } ?? false
  }
}
