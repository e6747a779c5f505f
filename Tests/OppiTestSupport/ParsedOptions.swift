// SPDX-License-Identifier: MIT

import CommandTable

/// Parses words as the arguments of a command, without running it.
///
/// - Throws: `UsageError`, as the program reports it.
func options<Options: Sendable>(
  from words: [String],
  over defaults: Options,
  _ arguments: @autoclosure @escaping @Sendable () -> [Argument<Options>],
  validate: (@Sendable (Options) throws(UsageError) -> Void)? = nil
) async throws -> Options {
  let command = CommandSpec<Void, Options>(
    "command",
    "Return the options",
    options: defaults,
    arguments: arguments(),
    validate: validate
  ) { options, _ in options }
  let tool = CommandLineTool(
    name: "tool",
    version: "1",
    summary: "Test",
    globals: false,
    globalArguments: [],
    commands: [command]
  )
  guard case .run(_, _, let work) = try tool.parse(["command"] + words) else {
    throw UsageError(.custom("help or the version was asked for"))
  }
  return try await work(())
}
