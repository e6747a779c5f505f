// SPDX-License-Identifier: MIT

/// A help page about something other than a command.
///
/// Body and lists are lazy: the table is read at every start.
public struct HelpTopic: Sendable {
  /// The name in `help NAME`.
  public let name: String

  /// One line about the page, without a full stop.
  public let summary: String

  /// The text: paragraphs separated by blank lines; indented lines are verbatim.
  public var body: String { makeBody() }

  /// Lists that follow the body.
  public var lists: [HelpList] { makeLists() }

  /// The list of the tool at the start of the page, if any.
  ///
  /// The manual prints that list on the tool's own page, followed by the topic's text.
  public let reference: Reference?

  /// A list that belongs to the tool.
  public enum Reference: Sendable, Equatable {
    case exitStatuses
    case files
    case environment
    case commands
    case options
  }

  /// The placeholders and options that the topic explains, such as `DURATION`; the manual links to
  /// it from the pages of commands that use them, and for `--json` from commands that print
  /// members.
  public let explains: [String]

  private let makeBody: @Sendable () -> String
  private let makeLists: @Sendable () -> [HelpList]

  /// Creates a topic.
  public init(
    name: String,
    summary: String,
    reference: Reference? = nil,
    explains: [String] = [],
    body: @autoclosure @escaping @Sendable () -> String,
    lists: @autoclosure @escaping @Sendable () -> [HelpList] = []
  ) {
    self.name = name
    self.summary = summary
    self.reference = reference
    self.explains = explains
    makeBody = body
    makeLists = lists
  }
}

/// A list with a heading.
public struct HelpList: Sendable, Equatable {
  /// The heading, without a colon.
  public let heading: String

  /// The rows in order.
  public let rows: [HelpRow]

  /// Creates a list.
  public init(_ heading: String, _ rows: [HelpRow]) {
    self.heading = heading
    self.rows = rows
  }
}
