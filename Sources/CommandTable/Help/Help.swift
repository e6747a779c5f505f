// SPDX-License-Identifier: MIT

/// Help pages for the terminal, generated from the table.
public enum Help {
  /// Wider lines are hard to read, and narrower ones too short for the lists.
  private static let columns = 40...80

  /// Returns the page about a command, ending with a line break; nil if the command is unknown.
  ///
  /// `path` has the names or aliases that lead to the command; it is empty for the tool itself. At
  /// most 80 of the terminal's `width` columns are used.
  public static func text<Context, Output, Globals>(
    for path: [String],
    in tool: CommandLineTool<Context, Output, Globals>,
    form: HelpForm,
    width: Int
  ) -> String? {
    tool.commands(along: path)
      .map { HelpPage(tool: tool, commands: $0, form: form, width: clamp(width)).text }
  }

  /// Returns the page of a topic, ending with a line break; nil if the topic is unknown.
  ///
  /// At most 80 of the terminal's `width` columns are used.
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

/// The length of a help page.
public enum HelpForm: Sendable, Equatable {
  /// The page of `-h`: summary, usage, commands and options.
  case short

  /// The page of `--help`: everything.
  case long
}
