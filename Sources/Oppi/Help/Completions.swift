// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// `oppi completions`: the completion scripts of shells.
enum Completions {
  enum Shell: String, Sendable, CaseIterable, ArgumentValue {
    case bash
    case zsh
    case fish
  }

  struct Options: Sendable, Equatable {
    var shell = Shell.bash
  }

  static let command: Command = Command(
    "completions",
    "Print the completion script for a shell",
    discussion: """
      The script runs the program to get candidates, which come from cached lists and never from \
      the network. The script completes the name by which you run the program: oppi-client prints \
      a script for oppi-client.
      """,
    examples: [
      CommandExample(
        "oppi completions bash > ~/.local/share/bash-completion/completions/oppi",
        "Install the completions for bash"
      ),
      CommandExample(
        "oppi completions fish > ~/.config/fish/completions/oppi.fish",
        "Install the completions for fish"
      ),
    ],
    members: shape.rows,
    group: Group.setup,
    options: Options(),
    arguments: [.positional("shell", required: true, \.shell, "The shell")],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let script = script(for: options.shell, name: context.programName)
    let text = script.hasSuffix("\n") ? String(script.dropLast()) : script
    return Report(shape.document(of: (options.shell, text)), .text(text))
  }

  private static let shape: JSONShape<(shell: Shell, script: String)> = [
    .text("shell", "The shell") { $0.shell.rawValue },
    .text("script", "The completion script") { $0.script },
  ]

  private static func script(for shell: Shell, name: String) -> String {
    switch shell {
    case .bash: BashCompletion.script(for: name)
    case .zsh: ZshCompletion.script(for: name)
    case .fish: FishCompletion.script(for: name)
    }
  }
}
