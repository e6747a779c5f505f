// SPDX-License-Identifier: MIT

package import CommandTable

/// The options of all commands, before or after the command's name.
package struct GlobalOptions: Sendable, Equatable {
  package var isJSON = false
  var isQuiet = false
  package var isVerbose = false
  package var isAccessible = false
  var color = ColorChoice.auto
  private var timeLimit: TimeLimit?
  package var server: String?

  /// The user's time limit; `nil` for none.
  package var timeout: Duration? {
    get { timeLimit?.duration }
    set { timeLimit = newValue.map(TimeLimit.init) }
  }

  package init() {}

  package static let arguments: [Argument<GlobalOptions>] = [
    .flag("json", \.isJSON, "Print JSON, including errors and warnings"),
    .flag("quiet", short: "q", \.isQuiet, "Suppress status messages"),
    .flag("verbose", short: "v", \.isVerbose, "Print more details"),
    .flag("accessible", \.isAccessible, "Print lines for screen readers; redraw nothing"),
    .option("color", placeholder: "WHEN", \.color, "Colour output"),
    .option("timeout", \.timeLimit, "Give up after this time, for example 30s or 2m"),
    .option(
      "server",
      placeholder: "NAME",
      completion: .names(of: .server),
      \.server,
      "Use only this paired server"
    ),
  ]
}

/// A positive duration.
package struct TimeLimit: ArgumentValue, Equatable {
  package static let placeholder = Duration.placeholder

  package let duration: Duration

  package init(_ duration: Duration) { self.duration = duration }

  package init(argument: String) throws(ArgumentValueError) {
    duration = try Duration(argument: argument)
    guard duration > .zero else { throw ArgumentValueError("expects more than 0s") }
  }

  package var argumentText: String? { duration.argumentText }
}

enum ColorChoice: String, Sendable, CaseIterable, ArgumentValue {
  case auto
  case always
  case never
}
