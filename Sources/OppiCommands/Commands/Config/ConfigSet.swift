// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi config set`.
enum ConfigSet {
  struct Options: Sendable, Equatable {
    var name = ""
    var value = ""
  }

  static let command = CommandSpec<Context>(
    "set",
    "Change a setting",
    discussion: "Comments and other settings in the file stay as they are. An empty value unsets.",
    examples: [
      CommandExample("oppi config set workspace studio/api", "Ask there unless told otherwise")
    ],
    options: Options(),
    arguments: [
      .positional(
        "name",
        required: true,
        completion: .choices(ConfigKey.all.map(\.name)),
        \.name,
        "The setting"
      ),
      .positional("value", required: true, \.value, "Its new value"),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws {
    guard let key = ConfigKey.all.first(where: { $0.name == options.name }) else {
      let names = ConfigKey.all.map(\.name)
      let close = Suggestions.closest(to: options.name, among: names).first
      throw OppiError(
        .usage,
        "no setting '\(options.name.safeLine())'",
        hints: [
          close.map { "did you mean '\($0)'?" } ?? "there are: \(names.joined(separator: ", "))"
        ]
      )
    }
    guard key.choices.isEmpty || key.choices.contains(options.value) else {
      throw OppiError(
        .usage,
        "\(key.name) cannot be '\(options.value.safeLine())'",
        hints: ["one of: \(key.choices.joined(separator: ", "))"]
      )
    }
    try await context.config.set(key, to: options.value)
    context.console.status(StyledText("set \(key.name) in \(context.config.path)"))
  }
}
