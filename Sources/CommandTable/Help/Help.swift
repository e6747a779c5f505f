// SPDX-License-Identifier: MIT

/// Pages of help for the terminal, made from the table alone.
public enum Help {
  /// The columns that a page may take: no more than a person likes to read, no fewer than the lists
  /// need.
  private static let columns = 40...80

  /// Returns the page about a command, ending with a line break; nil when there is no such command.
  ///
  /// - Parameters:
  ///   - path: Names or aliases of the commands that lead to it; empty for the tool itself.
  ///   - tool: The table.
  ///   - form: How much to say.
  ///   - width: The columns of the terminal, of which no more than 80 are used.
  /// - Returns: The page.
  public static func text<Context, Globals>(
    for path: [String],
    in tool: CommandLineTool<Context, Globals>,
    form: HelpForm,
    width: Int
  ) -> String? {
    tool.commands(along: path)
      .map { HelpPage(tool: tool, commands: $0, form: form, width: clamp(width)).text }
  }

  /// Returns the page of a topic, ending with a line break; nil when there is no such topic.
  ///
  /// - Parameters:
  ///   - topic: The topic's name.
  ///   - tool: The table.
  ///   - width: The columns of the terminal, of which no more than 80 are used.
  /// - Returns: The page.
  public static func text<Context, Globals>(
    topic: String,
    in tool: CommandLineTool<Context, Globals>,
    width: Int
  ) -> String? {
    tool.topics.first { $0.name == topic }
      .map { "\($0.summary)\n\n\(Prose($0.body).text(width: clamp(width)))\n" }
  }

  private static func clamp(_ width: Int) -> Int {
    min(max(width, columns.lowerBound), columns.upperBound)
  }
}

/// How much a page of help says.
public enum HelpForm: Sendable, Equatable {
  /// The page of `-h`: summary, usage, commands and options.
  case short

  /// The page of `--help`: all there is.
  case long
}
