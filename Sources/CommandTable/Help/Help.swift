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
  public static func text<Context, Output, Globals>(
    for path: [String],
    in tool: CommandLineTool<Context, Output, Globals>,
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
  public static func text<Context, Output, Globals>(
    topic: String,
    in tool: CommandLineTool<Context, Output, Globals>,
    width: Int
  ) -> String? {
    guard let topic = tool.topics.first(where: { $0.name == topic }) else { return nil }
    let width = clamp(width)
    let reference = topic.reference.map { tool.rows(of: $0).text(width: width) } ?? ""
    let lists = topic.lists.map { "\($0.heading):\n\n\($0.rows.text(width: width))" }
    return ([topic.summary, reference, Prose(topic.body).text(width: width)] + lists)
      .filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private static func clamp(_ width: Int) -> Int {
    min(max(width, columns.lowerBound), columns.upperBound)
  }
}

extension CommandLineTool {
  /// The rows of a list that has a page.
  func rows(of reference: HelpTopic.Reference) -> [HelpRow] {
    switch reference {
    case .exitStatuses: exitStatuses.map { HelpRow(String($0.status), $0.meaning) }
    case .files: files
    case .environment: environment
    }
  }
}

extension [HelpRow] {
  fileprivate func text(width: Int) -> String {
    TwoColumns(rows: map { ($0.term, $0.meaning) }).text(width: width)
  }
}

/// How much a page of help says.
public enum HelpForm: Sendable, Equatable {
  /// The page of `-h`: summary, usage, commands and options.
  case short

  /// The page of `--help`: all there is.
  case long
}
