// SPDX-License-Identifier: MIT

/// The first line of a fenced code block in an agent's Markdown.
struct CodeFence {
  /// The indentation and the markers of list items before the fence.
  let prefix: String
  /// The columns before the fence.
  let column: Int
  /// The language without unusual characters; empty if there is none.
  let info: String
  /// Whether every reader of Markdown finds the block; a deep one depends on the list around it.
  let isCertain: Bool
  private let character: Character
  private let length: Int

  /// Reads a line; `nil` if it opens no block.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - isParagraph: Whether the line before it may be a paragraph, which only some markers of
  ///     list items end.
  init?(_ line: String, after isParagraph: Bool) {
    let parts = MarkdownPrefix(line)
    let rest = parts.rest
    guard let first = rest.first, first == "`" || first == "~" else { return nil }
    let length = rest.prefix { $0 == first }.count
    let info = rest.dropFirst(length)
    guard length >= 3, first == "~" || !info.contains("`") else { return nil }
    if parts.isQuoted || parts.isCode || isParagraph && parts.isOrdered { return nil }
    prefix = parts.text
    column = parts.column
    isCertain = parts.indent < 4
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
    let lines = content.map { line -> String in
      let code = line.dropping(columns: column)
      guard !code.isEmpty else { return "" }
      return margin + (isCertain ? code : code.replacing("<", with: "&lt;"))
    }
    let fence = MarkdownQuote.fence(for: content)
    return ["\(prefix)\(fence)\(info)"] + lines + ["\(margin)\(fence)"]
  }
}

/// The indentation and the markers of list items at the start of a line, and quotes within them.
struct MarkdownPrefix {
  /// The columns before the first marker or the text.
  let indent: Int
  /// The columns before the text.
  private(set) var column: Int
  /// The prefix with spaces instead of tabs.
  private(set) var text: String
  private(set) var rest: Substring
  private(set) var hasMarker = false
  /// Whether the first marker is a number, which does not always start a list.
  private(set) var isOrdered = false
  /// Whether a marker is followed by so many spaces that the rest is code.
  private(set) var isCode = false
  /// Whether there is a quote after a marker or a deep indentation.
  private(set) var isQuoted = false

  init(_ line: String) {
    let white = line.prefix { $0 == " " || $0 == "\t" }
    indent = white.columns(from: 0)
    column = indent
    text = String(repeating: " ", count: indent)
    rest = line.dropFirst(white.count)
    while takeMarker() || takeQuote() {}
  }

  private mutating func takeQuote() -> Bool {
    guard rest.first == ">" else { return false }
    isQuoted = true
    text += ">"
    let spaces = rest.dropFirst().prefix { $0 == " " || $0 == "\t" }
    text += spaces
    rest = rest.dropFirst(1 + spaces.count)
    return true
  }

  private mutating func takeMarker() -> Bool {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    let isNumber = (1...9).contains(digits.count)
    let ends: Set<Character> = isNumber ? [".", ")"] : ["-", "*", "+"]
    let end = isNumber ? rest.dropFirst(digits.count) : rest
    guard let mark = end.first, ends.contains(mark) else { return false }
    let white = end.dropFirst().prefix { $0 == " " || $0 == "\t" }
    guard !white.isEmpty, end.count > 1 + white.count else { return false }
    if !hasMarker { isOrdered = isNumber }
    hasMarker = true
    let width = (isNumber ? digits.count : 0) + 1
    let gap = white.columns(from: column + width)
    if gap > 4 { isCode = true }
    text += rest.prefix(width) + String(repeating: " ", count: gap)
    column += width + gap
    rest = rest.dropFirst(width + white.count)
    return true
  }
}

extension StringProtocol {
  /// The width of spaces and tabs that begin at a column.
  fileprivate func columns(from start: Int) -> Int {
    reduce(start) { $1 == "\t" ? $0 + 4 - $0 % 4 : $0 + 1 } - start
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
