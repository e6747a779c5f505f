// SPDX-License-Identifier: MIT

import CommandTable

/// `oppi completions`: the scripts that teach a shell to complete.
enum Completions {
  /// The shells that there are scripts for.
  enum Shell: String, Sendable, CaseIterable, ArgumentValue {
    case bash
    case zsh
    case fish
  }

  struct Options: Sendable, Equatable {
    var shell = Shell.bash
  }

  static let command = CommandSpec<Context>(
    "completions",
    "Print the completion script for a shell",
    discussion: """
      The script asks oppi for candidates, which come from the cached lists and never from the \
      network.
      """,
    examples: [
      CommandExample(
        "oppi completions bash > ~/.local/share/bash-completion/completions/oppi",
        "Install for bash"
      ),
      CommandExample(
        "oppi completions fish > ~/.config/fish/completions/oppi.fish",
        "Install for fish"
      ),
    ],
    group: Group.setup,
    options: Options(),
    arguments: [.positional("shell", required: true, \.shell, "The shell")],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws {
    var text = script(for: options.shell)
    if text.hasSuffix("\n") { text.removeLast() }
    try context.console.print(text)
  }

  static func script(for shell: Shell) -> String {
    switch shell {
    case .bash: BashCompletion.script(for: OppiTable.tool)
    case .zsh: ZshCompletion.script(for: OppiTable.tool)
    case .fish: FishCompletion.script(for: OppiTable.tool)
    }
  }
}
