// SPDX-License-Identifier: MIT

extension Manual {
  func source(of page: TopicPage) -> String {
    let own = reference(to: page)
    var writer = MdocWriter()
    begin(&writer, own, summary: page.summary)
    for part in page.parts {
      writer.section(part.title) { write(part.content, to: &$0) }
    }
    let found = references(in: page.parts.flatMap { texts(of: $0.content) })
    writer.seeAlso(found.union([overview]).subtracting([own]))
    return writer.text
  }

  private func write(_ content: TopicPage.Content, to writer: inout MdocWriter) {
    switch content {
    case .topic(let name):
      write(.body(of: name), to: &writer)
      write(.lists(of: name), to: &writer)
    case .body(of: let name): writer.prose(Prose(topic(name)?.body ?? ""))
    case .lists(of: let name):
      for list in topic(name)?.lists ?? [] {
        writer.heading("Ss", list.heading)
        writer.list(list.rows, "Li")
      }
    case .text(let text): writer.prose(Prose(text))
    case .files(let rows): writer.list(rows, "Pa")
    }
  }

  private func texts(of content: TopicPage.Content) -> [String] {
    switch content {
    case .topic(let name), .body(of: let name): [topic(name)?.body ?? ""]
    case .text(let text): [text]
    case .files(let rows): rows.map(\.meaning)
    case .lists: []
    }
  }

  private func topic(_ name: String) -> HelpTopic? { tool.topics.first { $0.name == name } }
}
