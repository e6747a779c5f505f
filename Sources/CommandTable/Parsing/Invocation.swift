// SPDX-License-Identifier: MIT

/// The result of parsing a command line.
public enum Invocation<Context, Output, Globals: Sendable>: Sendable {
  /// Run a command: the global options, the full names on its path, and the prepared work.
  case run(Globals, path: [String], work: CommandSpec<Context, Output>.Work)

  /// Show a help page: about the tool if the path is empty, else about the command.
  case help(path: [String], form: HelpForm)

  case version
}
