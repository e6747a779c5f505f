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
  private var surroundings = InlineEscaper.Surroundings()
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
    surroundings.isRow = lines.contains(where: Self.isDelimiterRow)
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
    reader.surroundings.isInLink = surroundings.isInLink
    output += reader.read().map { $0.isEmpty ? "\(margin)>" : "\(margin)> \($0)" }
    surroundings.isInLink = reader.surroundings.isInLink
    paragraph = nil
  }

  // MARK: - Text

  /// The starts of lines that would be more than text: a fence that opens no block here, a footnote
  /// of the whole document, and a command to a forge.
  private static let refused = ["~~~", "[^", "/"]

  private mutating func takeText(_ line: String) {
    let prefix = MarkdownPrefix(line)
    if prefix.rest.isEmpty { surroundings.isInLink = false }
    var text = InlineEscaper.escaped(String(prefix.rest), in: &surroundings)
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
