// SPDX-License-Identifier: MIT

import CommandTable

/// `oppi demo`: the main job against a server of its own.
enum Demo {
  struct Options: Sendable, Equatable {
    var isServing = false
  }

  static let command = CommandSpec<Context>(
    "demo",
    "Show the main job against a server of its own",
    group: Group.setup,
    options: Options(),
    arguments: [
      .flag("serve", \.isServing, "Keep the server running and print an invite")
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws {}
}
