// SPDX-License-Identifier: MIT

/// A page of help about something other than a command.
///
/// What it says is made when it is asked for: the table is read at every start.
public struct HelpTopic: Sendable {
  /// The word that asks for the page.
  public let name: String

  /// One line about the page, without a full stop.
  public let summary: String

  /// The page: paragraphs parted by blank lines, indented lines kept as they are.
  public var body: String { makeBody() }

  /// Lists of rows that follow the body.
  public var lists: [HelpList] { makeLists() }

  /// The list of the tool that the page begins with, if any.
  ///
  /// The manual has that list on the tool's own page, and the topic's text after it.
  public let reference: Reference?

  /// A list that the tool has anyway.
  public enum Reference: Sendable, Equatable {
    case exitStatuses
    case files
    case environment
  }

  /// The placeholders and options that the topic explains, such as `DURATION`; the manual leads to it
  /// from the pages of commands that have them, and for `--json` from those that print members.
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

/// Rows of help under a heading of their own.
public struct HelpList: Sendable, Equatable {
  /// What the rows are about, without a colon.
  public let heading: String

  /// The rows in order.
  public let rows: [HelpRow]

  /// Creates a list.
  public init(_ heading: String, _ rows: [HelpRow]) {
    self.heading = heading
    self.rows = rows
  }
}
