// SPDX-License-Identifier: MIT

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
    writer.section("COMMANDS") { writeCommands(to: &$0) }
    writer.section("GLOBAL OPTIONS") {
      $0.paragraph("These options may be given before or after the command.")
      $0.list(tool.globalArguments.manualItems)
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

  /// Writes the commands under their headings; commands in no known group come last.
  private func writeCommands(to writer: inout MdocWriter) {
    let listed = tool.root.listedSubcommands
    for group in tool.groups {
      let commands = listed.filter { $0.group == group }
      guard !commands.isEmpty else { continue }
      writer.heading("Ss", group)
      writer.list(commands.map(row))
    }
    let others = listed.filter { !tool.groups.contains($0.group) }
    guard !others.isEmpty else { return }
    if !tool.groups.isEmpty { writer.heading("Ss", "Other commands") }
    writer.list(others.map(row))
  }

  private func row(_ command: CommandSpec<Context, Output>) -> (term: String, meaning: String) {
    (reference(to: command).macro, command.summary + ".")
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
    list(rows.map { ("\(macro) \(Self.words($0.term))", $0.meaning + ".") })
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
