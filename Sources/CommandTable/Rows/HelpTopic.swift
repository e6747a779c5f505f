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

/// A manual page that is not about a command, such as oppi-json(5).
///
/// A topic on none of these pages has its own page in section 7.
public struct TopicPage: Sendable {
  /// The page's name without the tool's, such as `json`.
  public let name: String

  /// The section: 5 for files and formats, 7 for anything else.
  public let section: Int

  /// One line about the page, without a full stop.
  public let summary: String

  /// The page's sections, in order.
  public let parts: [Part]

  /// A section of the page.
  public struct Part: Sendable {
    /// The heading, in capitals.
    public let title: String

    /// The content.
    public let content: Content

    /// Creates a section.
    public init(_ title: String, _ content: Content) {
      self.title = title
      self.content = content
    }
  }

  /// The content of a section.
  public enum Content: Sendable, Equatable {
    /// A topic by name: its text, then its lists.
    case topic(String)

    case body(of: String)

    case lists(of: String)

    /// Text that only the manual has: paragraphs separated by blank lines; indented lines verbatim.
    case text(String)

    case files([HelpRow])
  }

  /// Creates a page.
  public init(name: String, section: Int, summary: String, parts: [Part]) {
    self.name = name
    self.section = section
    self.summary = summary
    self.parts = parts
  }
}

extension TopicPage {
  init(of topic: HelpTopic) {
    self.init(
      name: topic.name,
      section: 7,
      summary: topic.summary,
      parts: [Part("DESCRIPTION", .topic(topic.name))]
    )
  }

  var topics: [String] {
    parts.compactMap { part in
      switch part.content {
      case .topic(let name), .body(of: let name): name
      case .lists, .text, .files: nil
      }
    }
  }
}
