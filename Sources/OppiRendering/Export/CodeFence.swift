// SPDX-License-Identifier: MIT

/// The first line of a fenced code block in an agent's Markdown.
struct CodeFence {
  /// The indentation and the markers of list items before the fence.
  let prefix: String
  /// The columns before the fence.
  let column: Int
  /// The language without unusual characters; empty if there is none.
  let info: String
  private let character: Character
  private let length: Int

  /// Reads a line; `nil` if it opens no block.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - items: The list items around it.
  init?(_ line: String, in items: ListItems) {
    let parts = MarkdownPrefix(line)
    let rest = parts.rest
    guard let first = rest.first, first == "`" || first == "~" else { return nil }
    let length = rest.prefix { $0 == first }.count
    let info = rest.dropFirst(length)
    guard length >= 3, first == "~" || !info.contains("`") else { return nil }
    if parts.isQuoted || parts.isCode || !items.canBegin(with: parts) { return nil }
    // Without an item around it, a deep fence is text for other readers.
    if items.depth(of: parts.indent) >= 4 { return nil }
    prefix = parts.text
    column = parts.column
    character = first
    self.length = length
    let word = info.drop { $0 == " " }.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
    self.info = String(word.prefix(20))
  }

  /// Whether the line closes the block.
  func isClosed(by line: String) -> Bool {
    let indent = line.prefix { $0 == " " }.count
    let rest = line.dropFirst(indent)
    let run = rest.prefix { $0 == character }.count
    return indent <= column + 3 && run >= length
      && rest.dropFirst(run).allSatisfy { $0 == " " || $0 == "\t" }
  }

  /// The block with a fence of its own; no line has fewer columns before it than the fence.
  func block(_ content: [String]) -> [String] {
    let margin = String(repeating: " ", count: column)
    let lines = content.map { line in
      let code = line.dropping(columns: column)
      return code.isEmpty ? "" : margin + code
    }
    let fence = MarkdownQuote.fence(for: content)
    return ["\(prefix)\(fence)\(info)"] + lines + ["\(margin)\(fence)"]
  }
}

extension String {
  /// The line without up to `count` columns of leading spaces and tabs.
  fileprivate func dropping(columns count: Int) -> String {
    var (column, rest) = (0, self[...])
    while column < count, let first = rest.first, first == " " || first == "\t" {
      column += first == "\t" ? 4 - column % 4 : 1
      rest = rest.dropFirst()
    }
    return String(repeating: " ", count: max(0, column - count)) + rest
  }
}
