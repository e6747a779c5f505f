// SPDX-License-Identifier: MIT

import CommandTable

/// The options that every command takes, before or after its name.
package struct GlobalOptions: Sendable, Equatable {
  package var isJSON = false
  package var isQuiet = false
  package var isVerbose = false
  package var color = ColorChoice.auto
  package var timeout: Duration?
  package var server: String?

  package init() {}

  static let arguments: [Argument<GlobalOptions>] = [
    .flag("json", \.isJSON, "Print JSON, errors and warnings included"),
    .flag("quiet", short: "q", \.isQuiet, "Leave out status messages"),
    .flag("verbose", short: "v", \.isVerbose, "Say more about what is done"),
    .option("color", placeholder: "WHEN", \.color, "Colour the output"),
    .option("timeout", \.timeout, "Give up after this time, such as 30s or 2m"),
    .option(
      "server",
      placeholder: "NAME",
      completion: .dynamic("server"),
      \.server,
      "Only this paired server"
    ),
  ]
}
