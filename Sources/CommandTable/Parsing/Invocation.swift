// SPDX-License-Identifier: MIT

/// What a command line asks for.
public enum Invocation<Context, Output, Globals: Sendable>: Sendable {
  /// Work to be done: the global options, the full names of the commands that lead to it, and the
  /// work itself.
  case run(Globals, path: [String], work: CommandSpec<Context, Output>.Work)

  /// A page of help: about the tool when the path is empty, else about the command it leads to.
  case help(path: [String], form: HelpForm)

  /// The version.
  case version
}
