// SPDX-License-Identifier: MIT

/// The manual of a tool, generated from the table.
///
/// It has a page about the tool, a page for each visible command, and pages about topics.
package struct Manual<Context, Output, Globals: Sendable>: Sendable {
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
  package init(
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
    topicPages =
      given
      + others.map { topic in
        TopicPage(
          name: topic.name,
          section: 7,
          summary: topic.summary,
          topics: [topic.name],
          parts: [TopicPage.Part("DESCRIPTION", topic.body, lists: topic.lists)]
        )
      }
  }

  /// All pages: the program, its commands, then topics.
  package var pages: [ManualPage] {
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
  /// page that contains it.
  ///
  /// - Returns: The page; nil if there is none.
  package func page(named word: String) -> ManualPage? {
    let (name, section) = split(word)
    let pages = pages
    func first(_ isMeant: (ManualPage) -> Bool) -> ManualPage? {
      pages.first { isMeant($0) && (section == nil || $0.section == section) }
    }
    if let page = first({ $0.shortName == name }) { return page }
    return owner(ofTopic: name).flatMap { owner in first { $0.reference == owner } }
  }

  /// Returns at most two page names that are similar to an unknown one.
  package func closestNames(to word: String) -> [String] {
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

/// A page of the manual.
package struct ManualPage: Sendable {
  /// The name for man(1), such as `oppi-ask`.
  package var name: String { reference.name }

  package var section: Int { reference.section }

  /// The name of the page's file, such as `oppi-ask.1`.
  package var fileName: String { "\(name).\(section)" }

  /// The page as mdoc(7) source; lines have at most 80 bytes unless a single word is longer.
  package var source: String { makeSource() }

  let reference: PageReference

  /// The name without the program's; for the program's own page, the program's name.
  let shortName: String

  // Lazy: most callers need one page.
  let makeSource: @Sendable () -> String
}

/// The name and section of a page.
struct PageReference: Sendable, Hashable, Comparable {
  let name: String
  let section: Int

  /// The macro that readers show as a link.
  var macro: String { "Xr \(MdocWriter.words(name)) \(section)" }

  /// The order that mdoc(7) requires: by section, then by name.
  static func < (a: PageReference, b: PageReference) -> Bool {
    (a.section, a.name) < (b.section, b.name)
  }
}

extension Manual {
  var overviewSource: String {
    var writer = MdocWriter()
    begin(&writer, overview, summary: tool.root.summary)
    writer.section("SYNOPSIS") {
      $0.macro("Nm \(MdocWriter.words(tool.name))")
      $0.macro("Op Ar option ...")
      $0.macro("Ar command")
      $0.macro("Op Ar argument ...")
    }
    writer.section("DESCRIPTION") {
      $0.prose(Prose(tool.root.discussion.isEmpty ? tool.root.summary + "." : tool.root.discussion))
    }
    writer.section("COMMANDS") { writer in
      for (heading, commands) in tool.commandGroups {
        writer.heading("Ss", heading)
        writer.list(commands.map { HelpRow(reference(to: $0).macro, $0.summary) })
      }
    }
    writer.section("GLOBAL OPTIONS") {
      $0.paragraph("These options may be given before or after the command.")
      $0.list(tool.globalArguments.manualRows)
    }
    write(.environment, "ENVIRONMENT", "Ev", to: &writer)
    write(.files, "FILES", "Pa", to: &writer)
    write(.exitStatuses, "EXIT STATUS", "Li", to: &writer)
    writer.seeAlso(topicPages.map(reference(to:)))
    return writer.text
  }

  func begin(_ writer: inout MdocWriter, _ page: PageReference, summary: String) {
    writer.macro("Dd \(MdocWriter.words(date))")
    writer.macro("Dt \(MdocWriter.words(page.name.uppercased())) \(page.section)")
    writer.macro("Os \(MdocWriter.words("\(tool.name) \(tool.version)"))")
    writer.heading("Sh", "NAME")
    writer.macro("Nm \(MdocWriter.words(page.name))")
    writer.macro("Nd \(MdocWriter.words(summary))")
  }

  /// Writes a list of the tool, followed by the text of its topic.
  private func write(
    _ reference: HelpTopic.Reference,
    _ title: String,
    _ macro: String,
    to writer: inout MdocWriter
  ) {
    let rows = tool.rows(of: reference)
    guard !rows.isEmpty else { return }
    writer.section(title) {
      $0.list(rows, macro)
      for topic in tool.topics where topic.reference == reference { $0.prose(Prose(topic.body)) }
    }
  }
}

extension MdocWriter {
  mutating func section(_ title: String, _ body: (inout MdocWriter) -> Void) {
    heading("Sh", title)
    body(&self)
  }

  /// Writes a list of rows; `macro` formats each term.
  mutating func list(_ rows: [HelpRow], _ macro: String) {
    list(rows.map { HelpRow("\(macro) \(Self.words($0.term))", $0.meaning) })
  }

  /// Writes links to other pages; without pages, writes nothing.
  mutating func seeAlso(_ pages: some Collection<PageReference>) {
    let macros = pages.sorted().map(\.macro)
    guard let last = macros.last else { return }
    section("SEE ALSO") {
      for macro in macros.dropLast() { $0.macro("\(macro) ,") }
      $0.macro(last)
    }
  }
}
