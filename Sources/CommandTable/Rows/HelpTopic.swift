// SPDX-License-Identifier: MIT

/// A page of help about something other than a command.
public struct HelpTopic: Sendable, Equatable {
  /// The word that asks for the page.
  public let name: String

  /// One line about the page, without a full stop.
  public let summary: String

  /// The page: paragraphs parted by blank lines, indented lines kept as they are.
  public let body: String

  /// Lists of rows that follow the body.
  public let lists: [HelpList]

  /// Creates a topic.
  public init(name: String, summary: String, body: String, lists: [HelpList] = []) {
    self.name = name
    self.summary = summary
    self.body = body
    self.lists = lists
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
