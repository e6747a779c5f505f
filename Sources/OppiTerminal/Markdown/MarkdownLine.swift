// SPDX-License-Identifier: MIT

import OppiText

/// One line of Markdown in UTF-8, or the rest of it within lists and quotes.
///
/// All Markdown syntax is ASCII.
struct MarkdownLine: Sendable {
  private static let space = UInt8(ascii: " ")
  /// The maximum indent of lines that are not code.
  static let indentLimit = 3

  let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  var indent: Int { bytes.prefix { $0 == Self.space }.count }

  var isBlank: Bool { bytes.allSatisfy { $0 == Self.space } }

  /// Whether the indent makes the line code, unless a paragraph is open.
  var isCode: Bool { indent > Self.indentLimit && !isBlank }

  /// The line without its indent; `nil` if the indent makes it code.
  private var body: ArraySlice<UInt8>? {
    indent > Self.indentLimit ? nil : bytes.dropFirst(indent)
  }

  /// The line without at most `count` leading spaces.
  func dropping(indent count: Int) -> MarkdownLine {
    MarkdownLine(bytes.dropFirst(min(count, indent)))
  }

  /// Whether the line begins an item of a list at its level.
  var opensItem: Bool { fence == nil && heading == nil && !isRule && quoted == nil && item != nil }

  /// Whether the line begins a block other than a paragraph.
  var opensBlock: Bool {
    isBlank || heading != nil || fence != nil || isRule || quoted != nil || item != nil
  }

  // MARK: - Kinds

  struct Heading: Sendable {
    var level: Int
    var text: MarkdownLine
  }

  var heading: Heading? {
    guard let body else { return nil }
    let level = body.prefix { $0 == UInt8(ascii: "#") }.count
    let rest = body.dropFirst(level)
    guard (1...6).contains(level), rest.first ?? Self.space == Self.space else { return nil }
    return Heading(level: level, text: MarkdownLine(rest.drop { $0 == Self.space }))
  }

  /// Whether the line is a rule: three or more of the same sign.
  var isRule: Bool {
    guard let body, let sign = body.first, "-*_".utf8.contains(sign) else { return false }
    let signs = body.filter { $0 != Self.space }
    return signs.count >= 3 && signs.allSatisfy { $0 == sign }
  }

  /// The quoted text; `nil` if the line is not a quote.
  var quoted: MarkdownLine? {
    guard let body, body.first == UInt8(ascii: ">") else { return nil }
    let rest = body.dropFirst()
    return MarkdownLine(rest.first == Self.space ? rest.dropFirst() : rest)
  }

  struct Fence: Sendable {
    var sign: UInt8
    var count: Int
    var indent: Int
    /// The text after the mark, usually a language.
    var info: String
  }

  var fence: Fence? {
    guard let body, let sign = body.first, "`~".utf8.contains(sign) else { return nil }
    let count = body.prefix { $0 == sign }.count
    // Backticks followed by text with backticks are inline code.
    guard count >= 3, sign != UInt8(ascii: "`") || !body.dropFirst(count).contains(sign) else {
      return nil
    }
    let info = String(decoding: body.dropFirst(count), as: UTF8.self).trimmed
    return Fence(sign: sign, count: count, indent: indent, info: info)
  }

  /// Whether the line closes the code block of a fence.
  func closes(_ opening: Fence) -> Bool {
    guard let fence, fence.sign == opening.sign, fence.count >= opening.count else { return false }
    return bytes.dropFirst(indent + fence.count).allSatisfy { $0 == Self.space }
  }

  struct Item: Sendable {
    /// The bullet or number.
    var mark: String
    /// The indent of the mark, and of the item's text.
    var markIndent: Int
    var textIndent: Int
  }

  var item: Item? {
    guard let body, !isRule, let length = markLength(of: body) else { return nil }
    let rest = body.dropFirst(length)
    guard rest.first ?? Self.space == Self.space else { return nil }
    let spaces = rest.prefix { $0 == Self.space }.count
    // Text with a larger indent is code.
    let gap = spaces == rest.count || spaces > 4 ? 1 : spaces
    let isNumber = length > 1
    return Item(
      mark: isNumber ? String(decoding: body.prefix(length), as: UTF8.self) : "•",
      markIndent: indent,
      textIndent: indent + length + gap
    )
  }

  /// The length of a bullet, or of a number with its delimiter.
  private func markLength(of body: ArraySlice<UInt8>) -> Int? {
    guard let first = body.first else { return nil }
    if "-*+".utf8.contains(first) { return 1 }
    let digits = body.prefix(while: \.isASCIIDigit).count
    guard (1...9).contains(digits), let end = body.dropFirst(digits).first,
      ".)".utf8.contains(end)
    else { return nil }
    return digits + 1
  }

  /// The checkbox of a task and the rest of the line; `nil` if the line is not a task.
  var task: (box: String, isDone: Bool, rest: MarkdownLine)? {
    let box = bytes.prefix(3)
    guard box.count == 3, box.first == UInt8(ascii: "["), box.last == UInt8(ascii: "]"),
      let sign = box.dropFirst().first, " xX".utf8.contains(sign),
      bytes.dropFirst(3).first == Self.space
    else { return nil }
    return (
      String(decoding: box, as: UTF8.self), sign != Self.space,
      MarkdownLine(bytes.dropFirst(4))
    )
  }
}

/// An open quote or list item.
struct MarkdownNest: Sendable {
  static let bar = StyledText("│ ", .dim)

  enum Kind: Sendable {
    case quote
    /// An item whose text has an indent; lines with at least the second indent belong to it.
    case item(text: Int, least: Int)
  }

  let kind: Kind
  /// The start of its rows, including that of the outer ones.
  let margin: StyledText
  /// The number of rows before its first one.
  let start: Int

  var isQuote: Bool { if case .quote = kind { true } else { false } }
}

extension [MarkdownNest] {
  /// The number of nests that certainly contain a blank line: those up to the last quote.
  var floor: Int { lastIndex(where: \.isQuote).map { $0 + 1 } ?? 0 }

  /// How many nests a line continues, and the rest of the line; a blank line continues items.
  func match(_ line: MarkdownLine) -> (count: Int, rest: MarkdownLine) {
    var rest = line
    for (index, nest) in enumerated() {
      switch nest.kind {
      case .quote:
        guard let quoted = rest.quoted else { return (index, rest) }
        rest = quoted
      case .item(let text, let least):
        guard !rest.isBlank else { continue }
        guard rest.indent >= least else { return (index, rest) }
        rest = rest.dropping(indent: text)
      }
    }
    return (count, rest)
  }
}
