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

  static let command = Command(
    "set",
    "Change a setting",
    discussion: "Comments and other settings in the file stay as they are. An empty value unsets.",
    examples: [
      CommandExample("oppi config set workspace studio/api", "Ask there unless told otherwise")
    ],
    members: shape.rows,
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

  static func run(_ options: Options, in context: Context) async throws -> Report {
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
    return Report(
      shape.document(of: (options, context.config)),
      status: StyledText("set \(key.name) in \(context.config.path)")
    )
  }

  private static let shape: JSONShape<(Options, ConfigFile)> = [
    .member("name", "The setting") { .string($0.0.name) },
    .member("value", "Its new value; null where it is unset") {
      $0.0.value.isEmpty ? .null : .string($0.0.value)
    },
    .member("path", "The file of the settings") { .string($0.1.path) },
  ]
}
