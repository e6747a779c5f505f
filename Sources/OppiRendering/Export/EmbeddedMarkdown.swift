// SPDX-License-Identifier: MIT

import OppiModel

/// An agent's Markdown as a part of a larger document.
///
/// Its headings are below those of the document, its code blocks end within it, and its HTML is
/// shown as text. Everything else is as written.
struct EmbeddedMarkdown {
  /// The levels by which headings are lowered: the document has two of its own.
  private static let shift = 2
  /// Deeper quotes are text.
  private static let quoteLimit = 8

  private let input: [String]
  private let depth: Int
  private var context = InlineEscaper.Context()
  private var position = 0
  private var output: [String] = []
  private var items = ListItems()
  /// The text of the last line if it is of a paragraph outside of lists and quotes.
  private var paragraph: String?

  /// Returns the lines of a text, safe to show.
  static func lines(of text: String) -> [String] {
    let lines = text.safeBlock().split(separator: "\n", omittingEmptySubsequences: false)
    var reader = EmbeddedMarkdown(lines.map { String($0) }, depth: 0)
    return reader.read()
  }

  private mutating func read() -> [String] {
    while position < input.count {
      let count = output.count
      takeLine()
      for line in output[count...] { items.read(line) }
    }
    return output
  }

  private init(_ lines: [String], depth: Int) {
    input = lines
    self.depth = depth
    context.isRow = lines.contains(where: Self.isDelimiterRow)
  }

  private static func isDelimiterRow(_ line: String) -> Bool {
    let bytes = line.utf8
    return bytes.contains(UInt8(ascii: "-"))
      && bytes.contains { $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: ":") }
      && bytes.allSatisfy { "|:- \t*+".utf8.contains($0) }
  }

  private mutating func takeLine() {
    let line = input[position]
    if let fence = CodeFence(line, in: items) {
      takeBlock(fence)
    } else if depth < Self.quoteLimit, Self.quoted(line) != nil {
      takeQuote()
    } else {
      position += 1
      takeText(line)
    }
  }

  private mutating func takeBlock(_ fence: CodeFence) {
    let start = position + 1
    let end = input[start...].firstIndex { fence.isClosed(by: $0) } ?? input.endIndex
    output += fence.block(Array(input[start..<end]))
    paragraph = nil
    position = end + 1
  }

  // MARK: - Quotes

  /// The content of a line of a quote; `nil` for other lines.
  private static func quoted(_ line: String) -> String? {
    let rest = line.drop { $0 == " " }
    guard line.count - rest.count < 4, rest.first == ">" else { return nil }
    let content = rest.dropFirst()
    return String(content.first == " " ? content.dropFirst() : content)
  }

  private mutating func takeQuote() {
    let margin = String(input[position].prefix { $0 == " " })
    var content: [String] = []
    while position < input.count, let line = Self.quoted(input[position]) {
      content.append(line)
      position += 1
    }
    var reader = EmbeddedMarkdown(content, depth: depth + 1)
    // A paragraph may begin before the quote, and continue after it.
    reader.context.isInLink = context.isInLink
    output += reader.read().map { $0.isEmpty ? "\(margin)>" : "\(margin)> \($0)" }
    context.isInLink = reader.context.isInLink
    paragraph = nil
  }

  // MARK: - Text

  /// The starts of lines that would be more than text: a fence that opens no block here, a footnote
  /// of the whole document, and a command to a forge.
  private static let refused = ["~~~", "[^", "/"]

  private mutating func takeText(_ line: String) {
    let prefix = MarkdownPrefix(line)
    if prefix.rest.isEmpty { context.isInLink = false }
    var text = InlineEscaper.escaped(String(prefix.rest), in: &context)
    if Self.refused.contains(where: text.hasPrefix) { text = "\\" + text }
    let level = text.prefix { $0 == "#" }.count
    let afterLevel = text.dropFirst(level).first
    if (1...6).contains(level), afterLevel.map({ $0 == " " || $0 == "\t" }) ?? true {
      let hashes = String(repeating: "#", count: min(6, level + Self.shift))
      output.append(prefix.text + hashes + text.dropFirst(level))
      paragraph = nil
    } else if !prefix.hasMarker, !prefix.isQuoted, let level = Self.underlineLevel(text) {
      takeUnderline(text, level, prefix)
    } else {
      output.append(prefix.text + text)
      let isPlain =
        prefix.indent < 4 && !prefix.hasMarker && !prefix.isQuoted
        && text.contains(where: \.isLetter)
      paragraph = isPlain ? text : nil
    }
  }

  /// The level of the heading that the line makes of a paragraph before it.
  private static func underlineLevel(_ text: String) -> Int? {
    let mark = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace)
    guard let first = mark.first, mark.allSatisfy({ $0 == first }) else { return nil }
    return first == "=" ? 1 : first == "-" ? 2 : nil
  }

  private mutating func takeUnderline(_ text: String, _ level: Int, _ prefix: MarkdownPrefix) {
    let isAfterText = !(output.last?.allSatisfy(\.isWhitespace) ?? true)
    if let paragraph {
      let hashes = String(repeating: "#", count: level + Self.shift)
      output[output.count - 1] = "\(hashes) \(paragraph)"
    } else if level == 1 {
      output.append("\(prefix.text)\\\(text)")
    } else {
      // The text before a quote may be of the same quote.
      if isAfterText || output.isEmpty && depth > 0 { output.append("") }
      output.append(prefix.text + text)
    }
    paragraph = nil
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
  /// The columns of the texts of the items that the markers begin.
  private(set) var items: [Int] = []
  /// Whether the first marker is a number other than 1, which does not end a paragraph.
  private(set) var isLaterNumber = false
  /// Whether a marker is followed by so many spaces that the rest is code.
  private(set) var isCode = false
  /// Whether there is a quote after a marker or a deep indentation.
  private(set) var isQuoted = false

  var hasMarker: Bool { !items.isEmpty }

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
    if items.isEmpty, !isQuoted { isLaterNumber = isNumber && digits != "1" }
    let width = (isNumber ? digits.count : 0) + 1
    let gap = white.columns(from: column + width)
    if gap > 4 { isCode = true }
    text += rest.prefix(width) + String(repeating: " ", count: gap)
    column += width + gap
    if !isQuoted { items.append(column) }
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
