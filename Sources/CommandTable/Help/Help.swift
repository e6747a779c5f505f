// SPDX-License-Identifier: MIT

/// Help pages for the terminal, generated from the table.
public enum Help {
  /// Wider lines are hard to read, and narrower ones too short for the lists.
  private static let columns = 40...80

  /// Returns the page about a command, ending with a line break; nil if the command is unknown.
  ///
  /// `path` has the names or aliases that lead to the command; it is empty for the tool itself. At
  /// most 80 of the terminal's `width` columns are used. `heading` styles each heading.
  public static func text<Context, Output, Globals>(
    for path: [String],
    in tool: CommandLineTool<Context, Output, Globals>,
    form: HelpForm,
    width: Int,
    heading: @escaping (String) -> String = { $0 }
  ) -> String? {
    tool.commands(along: path).map { commands in
      HelpPage(tool: tool, commands: commands, form: form, width: clamp(width), heading: heading)
        .text
    }
  }

  /// Returns the page of a topic, ending with a line break; nil if the topic is unknown.
  ///
  /// At most 80 of the terminal's `width` columns are used. `heading` styles each heading.
  public static func text<Context, Output, Globals>(
    topic: String,
    in tool: CommandLineTool<Context, Output, Globals>,
    width: Int,
    heading: @escaping (String) -> String = { $0 }
  ) -> String? {
    guard let topic = tool.topics.first(where: { $0.name == topic }) else { return nil }
    let width = clamp(width)
    let root = HelpPage(
      tool: tool,
      commands: [tool.root],
      form: .long,
      width: width,
      heading: heading
    )
    let reference: [String] =
      switch topic.reference {
      case .commands?: root.commandLists
      case let reference?: [tool.rows(of: reference).text(width: width)]
      case nil: []
      }
    let lists = topic.lists.map { list in
      "\(heading("\(list.heading):"))\n\n\(list.rows.text(width: width))"
    }
    return ([topic.summary] + reference + [Prose(topic.body).text(width: width)] + lists)
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
    case .commands: root.listedSubcommands.map { HelpRow($0.name, $0.summary) }
    case .options:
      globalArguments.filter { !$0.isHidden }.map(\.helpRow).map { HelpRow($0.term, $0.meaning) }
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
