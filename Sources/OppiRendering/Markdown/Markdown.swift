// SPDX-License-Identifier: MIT

/// Markdown as rows of styled text.
///
/// Supports what agents write: headings, lists, tasks, code, emphasis, deleted text, links, quotes,
/// rules and tables.
/// Other syntax is shown as written. Only marks are omitted, never words. Time and output are
/// linear in the text.
package enum Markdown {
  /// Enough for the widest character.
  static let minimumWidth = 2

  /// Returns the text in rows that are safe to show; empty if there is nothing to show.
  ///
  /// No row exceeds `width` columns; widths below 2 count as 2. `links` says whether the terminal
  /// supports links; otherwise, each link's whole address is shown.
  package static func rows(of text: String, width: Int, links: Bool = false) -> [StyledText] {
    var reader = MarkdownReader(width: width, links: links)
    var splitter = LineSplitter()
    splitter.append(text)
    while let line = splitter.next() { reader.read(line.markdown, continues: line.continues) }
    if let line = splitter.takeRest() { reader.read(line.markdown, continues: line.continues) }
    reader.close()
    return reader.layout.takeRows()
  }
}
