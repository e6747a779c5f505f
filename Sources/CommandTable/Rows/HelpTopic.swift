// SPDX-License-Identifier: MIT

/// A help page about something other than a command.
///
/// Body and lists are lazy: the table is read at every start.
package struct HelpTopic: Sendable {
  /// The name in `help NAME`.
  package let name: String

  /// One line about the page, without a full stop.
  package let summary: String

  /// The text: paragraphs separated by blank lines; indented lines are verbatim.
  package var body: String { makeBody() }

  /// Lists that follow the body.
  package var lists: [HelpList] { makeLists() }

  /// The list of the tool at the start of the page, if any.
  ///
  /// The manual prints that list on the tool's own page, followed by the topic's text.
  package let reference: Reference?

  /// A list that belongs to the tool.
  package enum Reference: Sendable, Equatable {
    case exitStatuses
    case files
    case environment
    case commands
    case options
  }

  /// The placeholders and options that the topic explains, such as `DURATION`; the manual links to
  /// it from the pages of commands that use them, and for `--json` from commands that print
  /// members.
  package let explains: [String]

  private let makeBody: @Sendable () -> String
  private let makeLists: @Sendable () -> [HelpList]

  package init(
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
package struct HelpList: Sendable, Equatable {
  /// The heading, without a colon.
  package let heading: String

  package let rows: [HelpRow]

  package init(_ heading: String, _ rows: [HelpRow]) {
    self.heading = heading
    self.rows = rows
  }
}

/// A manual page that is not about a command, such as oppi-json(5).
///
/// A topic on none of these pages has its own page in section 7.
package struct TopicPage: Sendable {
  /// The page's name without the tool's, such as `json`.
  package let name: String

  /// The section: 5 for files and formats, 7 for anything else.
  package let section: Int

  /// One line about the page, without a full stop.
  package let summary: String

  /// The names of the topics that are on the page.
  package let topics: [String]

  package let parts: [Part]

  /// A section of the page: its text, files and lists.
  package struct Part: Sendable {
    /// The heading, in capitals.
    package let title: String

    /// Paragraphs separated by blank lines; indented lines are verbatim.
    package let text: String

    package let files: [HelpRow]
    package let lists: [HelpList]

    package init(
      _ title: String,
      _ text: String = "",
      files: [HelpRow] = [],
      lists: [HelpList] = []
    ) {
      self.title = title
      self.text = text
      self.files = files
      self.lists = lists
    }
  }

  package init(name: String, section: Int, summary: String, topics: [String], parts: [Part]) {
    self.name = name
    self.section = section
    self.summary = summary
    self.topics = topics
    self.parts = parts
  }
}
