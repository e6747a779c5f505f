// SPDX-License-Identifier: MIT

/// The list items that every reader of Markdown finds around the next line.
struct ListItems {
  /// The columns of the texts of the items, from the outermost to the innermost.
  private var columns: [Int] = []
  private var isAfterText = false

  /// Notes a line of the document.
  mutating func read(_ line: String) {
    let prefix = MarkdownPrefix(line)
    guard !prefix.rest.isEmpty || prefix.hasMarker || prefix.isQuoted else {
      isAfterText = false
      return
    }
    let isItem = prefix.hasMarker && !prefix.isCode && canBegin(with: prefix)
    columns.removeAll { $0 > prefix.indent }
    if isItem, depth(of: prefix.indent) < 4, prefix.rest.contains(where: \.isLetter) {
      columns += prefix.items
    }
    isAfterText = true
  }

  /// The columns between the innermost item around an indentation and the indentation.
  func depth(of indent: Int) -> Int { indent - (columns.last { $0 <= indent } ?? 0) }

  /// Whether the markers of a line begin items, and do not continue a paragraph.
  func canBegin(with prefix: MarkdownPrefix) -> Bool {
    !prefix.isLaterNumber || !isAfterText || columns.contains { $0 > prefix.indent }
  }
}
