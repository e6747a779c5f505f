// SPDX-License-Identifier: MIT

/// The manual of a tool, generated from the table.
///
/// It has a page about the tool, a page for each visible command, and pages about topics.
public struct Manual<Context, Output, Globals: Sendable>: Sendable {
  let tool: CommandLineTool<Context, Output, Globals>

  /// The prefix of the page names.
  let program: String

  /// The date of the pages, such as `November 21, 2026`.
  let date: String

  let topicPages: [TopicPage]

  /// Creates the manual; the source of a page is generated on demand.
  ///
  /// `program` is the prefix of the page names, by default the tool's name; the text of the pages
  /// always uses the tool's name. `date` is printed as it is, such as `November 21, 2026`.
  public init(
    of tool: CommandLineTool<Context, Output, Globals>,
    for program: String? = nil,
    date: String
  ) {
    self.tool = tool
    self.program = program ?? tool.name
    self.date = date
    let given = tool.topicPages
    let placed = Set(given.flatMap(\.topics))
    let others = tool.topics.filter { $0.reference == nil && !placed.contains($0.name) }
    topicPages = given + others.map(TopicPage.init(of:))
  }

  /// All pages: the program, its commands, then topics.
  public var pages: [ManualPage] {
    let overview = ManualPage(reference: overview, shortName: program) { overviewSource }
    let commands = tool.root.visibleSubcommands.map { command in
      ManualPage(reference: reference(to: command), shortName: command.name) {
        source(of: command)
      }
    }
    let topics = topicPages.map { page in
      ManualPage(reference: reference(to: page), shortName: page.name) { source(of: page) }
    }
    return [overview] + commands + topics
  }

  /// Finds a page by name, with or without the prefix `PROGRAM-` and the suffix `.SECTION`.
  ///
  /// If several sections have the name, returns the first page. The name of a topic leads to the
  /// page that contains it, and an alias to the command's page.
  ///
  /// - Returns: The page; nil if there is none.
  public func page(named word: String) -> ManualPage? {
    let (name, section) = split(word)
    let pages = pages
    func first(_ isMeant: (ManualPage) -> Bool) -> ManualPage? {
      pages.first { isMeant($0) && (section == nil || $0.section == section) }
    }
    if let page = first({ $0.shortName == name }) { return page }
    let owner = owner(ofTopic: name) ?? tool.root.subcommand(named: name).map(reference(to:))
    return first { $0.reference == owner }
  }

  /// Returns at most two page names that are similar to an unknown one.
  public func closestNames(to word: String) -> [String] {
    let (name, _) = split(word)
    var names: [String] = []
    for page in pages where !names.contains(page.shortName) { names.append(page.shortName) }
    return Suggestions.closest(to: name, among: names)
  }

  /// Splits the name of a page into the part after the prefix and the section.
  private func split(_ word: String) -> (name: String, section: Int?) {
    var name = Substring(word)
    var section: Int?
    if let dot = word.lastIndex(of: "."), let number = Int(word[word.index(after: dot)...]) {
      name = word[..<dot]
      section = number
    }
    if name == program || name == tool.name { return (program, section) }
    for prefix in ["\(program)-", "\(tool.name)-"] where name.hasPrefix(prefix) {
      return (String(name.dropFirst(prefix.count)), section)
    }
    return (String(name), section)
  }
}

// MARK: - References

extension Manual {
  var overview: PageReference { PageReference(name: program, section: 1) }

  func reference(to command: CommandSpec<Context, Output>) -> PageReference {
    PageReference(name: "\(program)-\(command.name)", section: 1)
  }

  func reference(to page: TopicPage) -> PageReference {
    PageReference(name: "\(program)-\(page.name)", section: page.section)
  }

  /// The page that contains a topic; nil if the topic is unknown.
  func owner(ofTopic name: String) -> PageReference? {
    if let page = topicPages.first(where: { $0.topics.contains(name) }) {
      return reference(to: page)
    }
    return tool.topics.contains { $0.name == name } ? overview : nil
  }

  /// The pages of commands and topics in the texts, as in `'oppi config set'` or `'oppi help
  /// json'`.
  func references(in texts: [String]) -> Set<PageReference> {
    var found: Set<PageReference> = []
    for text in texts {
      let words = text.split { $0 == " " || $0.isNewline }.map(\.bare)
      for index in words.indices where words[index] == tool.name {
        var rest = words[(index + 1)...]
        let first = rest.popFirst()
        let name = first == "help" ? rest.first ?? "help" : first
        if let name, let page = page(toldAs: name, afterHelp: first == "help") {
          found.insert(page)
        }
      }
    }
    return found
  }

  private func page(toldAs name: String, afterHelp: Bool) -> PageReference? {
    if let command = tool.root.subcommand(named: name), !command.isHidden {
      return reference(to: command)
    }
    return afterHelp ? owner(ofTopic: name) : nil
  }
}

extension Substring {
  /// The word without surrounding quotation marks and punctuation.
  fileprivate var bare: String {
    let marks = "'\"`()[],.;:?!"
    let start = drop { marks.contains($0) }
    guard let end = start.lastIndex(where: { !marks.contains($0) }) else { return "" }
    return String(start[...end])
  }
}
