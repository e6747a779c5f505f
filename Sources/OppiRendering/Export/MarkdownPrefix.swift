// SPDX-License-Identifier: MIT

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
