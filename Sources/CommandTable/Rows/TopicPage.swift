// SPDX-License-Identifier: MIT

/// A page of the manual that is not about a command, such as oppi-json(5).
///
/// A topic that no row names has a page of its own in section 7.
public struct TopicPage: Sendable {
  /// The page's name without the tool's, such as `json`.
  public let name: String

  /// The section of the manual: 5 for files and formats, 7 for anything else.
  public let section: Int

  /// One line about the page, without a full stop.
  public let summary: String

  /// The page's sections, in order.
  public let parts: [Part]

  /// A section of the page.
  public struct Part: Sendable {
    /// The heading, in capitals.
    public let title: String

    /// What the section contains.
    public let content: Content

    /// Creates a section.
    public init(_ title: String, _ content: Content) {
      self.title = title
      self.content = content
    }
  }

  /// What a section contains.
  public enum Content: Sendable, Equatable {
    /// A topic by its name: its text, then its lists.
    case topic(String)

    /// The text of a topic alone.
    case body(of: String)

    /// The lists of a topic alone.
    case lists(of: String)

    /// Text that is in the manual only: paragraphs separated by blank lines, indented lines kept as
    /// they are.
    case text(String)

    /// Some of the tool's files.
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
  /// The page of a topic that has it for itself.
  init(of topic: HelpTopic) {
    self.init(
      name: topic.name,
      section: 7,
      summary: topic.summary,
      parts: [Part("DESCRIPTION", .topic(topic.name))]
    )
  }

  /// The text that is on the page only.
  var ownTexts: [String] {
    parts.compactMap { if case .text(let text) = $0.content { text } else { nil } }
  }

  /// The topics whose text the page has.
  var topics: [String] {
    parts.compactMap { part in
      switch part.content {
      case .topic(let name), .body(of: let name): name
      case .lists, .text, .files: nil
      }
    }
  }
}
