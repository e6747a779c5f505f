// SPDX-License-Identifier: MIT

import OppiModel

/// One line of Markdown, or what is left of it inside of lists and quotes, in UTF-8.
///
/// All that has a meaning in Markdown is ASCII.
struct MarkdownLine {
  private static let space = UInt8(ascii: " ")
  /// Lines that are further in are code.
  private static let indentLimit = 3

  let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  var indent: Int { bytes.prefix { $0 == Self.space }.count }

  var isBlank: Bool { bytes.allSatisfy { $0 == Self.space } }

  /// Whether it is so far in that it is code, where no paragraph is open.
  var isCode: Bool { indent > Self.indentLimit && !isBlank }

  /// What is behind the spaces at the start, where these are not so many that it is code.
  private var body: ArraySlice<UInt8>? {
    indent > Self.indentLimit ? nil : bytes.dropFirst(indent)
  }

  /// The line without so many spaces at its start, as far as it has them.
  func dropping(indent count: Int) -> MarkdownLine {
    MarkdownLine(bytes.dropFirst(min(count, indent)))
  }

  /// Whether a block of another kind than a paragraph begins here.
  var opensBlock: Bool {
    isBlank || heading != nil || fence != nil || isRule || quoted != nil || item != nil
  }

  // MARK: - Kinds

  /// The number of signs before a heading.
  var heading: Int? {
    guard let body else { return nil }
    let level = body.prefix { $0 == UInt8(ascii: "#") }.count
    let next = body.dropFirst(level).first ?? Self.space
    return (1...6).contains(level) && next == Self.space ? level : nil
  }

  /// Whether it is a rule: three or more of one sign.
  var isRule: Bool {
    guard let body, let sign = body.first, "-*_".utf8.contains(sign) else { return false }
    let signs = body.filter { $0 != Self.space }
    return signs.count >= 3 && signs.allSatisfy { $0 == sign }
  }

  /// What is quoted; `nil` for a line that is no quote.
  var quoted: MarkdownLine? {
    guard let body, body.first == UInt8(ascii: ">") else { return nil }
    let rest = body.dropFirst()
    return MarkdownLine(rest.first == Self.space ? rest.dropFirst() : rest)
  }

  /// What opens a block of code.
  struct Fence {
    var sign: UInt8
    var count: Int
    var indent: Int
  }

  var fence: Fence? {
    guard let body, let sign = body.first, "`~".utf8.contains(sign) else { return nil }
    let count = body.prefix { $0 == sign }.count
    // What follows backticks and has some itself is code within a line.
    guard count >= 3, sign != UInt8(ascii: "`") || !body.dropFirst(count).contains(sign) else {
      return nil
    }
    return Fence(sign: sign, count: count, indent: indent)
  }

  /// Whether it ends the block of code that a fence has opened.
  func closes(_ opening: Fence) -> Bool {
    guard let fence, fence.sign == opening.sign, fence.count >= opening.count else { return false }
    return bytes.dropFirst(indent + fence.count).allSatisfy { $0 == Self.space }
  }

  /// The beginning of an element of a list.
  struct Item {
    /// What stands before the element.
    var mark: String
    /// How far in the mark is, and how far the element's text.
    var markIndent: Int
    var textIndent: Int
  }

  var item: Item? {
    guard let body, !isRule, let length = markLength(of: body) else { return nil }
    let rest = body.dropFirst(length)
    guard rest.first ?? Self.space == Self.space else { return nil }
    let spaces = rest.prefix { $0 == Self.space }.count
    // A text that is further in is code.
    let gap = spaces == rest.count || spaces > 4 ? 1 : spaces
    let isNumber = length > 1
    return Item(
      mark: isNumber ? String(decoding: body.prefix(length), as: UTF8.self) : "•",
      markIndent: indent,
      textIndent: indent + length + gap
    )
  }

  /// The length of a bullet, or of a number with what ends it.
  private func markLength(of body: ArraySlice<UInt8>) -> Int? {
    guard let first = body.first else { return nil }
    if "-*+".utf8.contains(first) { return 1 }
    let digits = body.prefix(while: \.isASCIIDigit).count
    guard (1...9).contains(digits), let end = body.dropFirst(digits).first,
      ".)".utf8.contains(end)
    else { return nil }
    return digits + 1
  }

  /// The box of a task and what is behind it; `nil` for what is no task.
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
