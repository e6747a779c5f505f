// SPDX-License-Identifier: MIT

import OppiText

/// Text of a paragraph, heading or cell, with inline code, emphasis and links.
///
/// Paired marks of code, emphasis and links are omitted, except those of deleted text; everything
/// else stays as written. Each byte is read only a few times, however marks are nested.
struct InlineText {
  /// Returns the text with its styles, including its line breaks.
  static func styled(_ text: String, _ style: Style, _ look: MarkdownLook) -> StyledText {
    var reader = InlineText(Array(text.utf8))
    var index = 0
    while index < reader.bytes.count { index = reader.readToken(at: index) }
    return reader.styled(style, look)
  }

  private enum Token {
    case text(Range<Int>)
    case code(Range<Int>)
    /// A mark of emphasis; without a partner it is text.
    case stress(Range<Int>, Pairing)
    case linkStart(Hyperlink)
    /// The end of a link's text; the address is shown after it.
    case address(Range<Int>)
    /// The end of the text of a link that is its own address.
    case linkEnd
  }

  private enum Pairing {
    case none
    case opens(StressMark)
    case closes([StressMark])
  }

  private let bytes: [UInt8]
  private var tokens: [Token] = []
  /// The starts of the runs of backticks that were not passed, by length, in ascending order.
  private var runs: [Int: ArraySlice<Int>] = [:]
  private let brackets: [Int: Int]
  /// The start and the end of the open links, by the end of their text.
  private var links: [Int: (start: Int, end: Int)] = [:]
  /// The marks that may still find a partner, with their token index.
  private var open: [StressMark: Int] = [:]

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    brackets = bytes.bracketPairs
    var index = 0
    while let start = bytes[index...].firstIndex(of: UInt8(ascii: "`")) {
      index = bytes[start...].firstIndex { $0 != UInt8(ascii: "`") } ?? bytes.count
      runs[index - start, default: []].append(start)
    }
  }

  // MARK: - Reading

  /// Reads a token and returns the index of the next one.
  private mutating func readToken(at index: Int) -> Int {
    switch bytes[index] {
    case UInt8(ascii: "`"):
      let count = run(at: index)
      guard let end = codeEnd(ofRun: count, at: index) else {
        return addText(index..<(index + count))
      }
      tokens.append(.code(index..<end))
      return end
    case UInt8(ascii: "\\") where index + 1 < bytes.count && bytes[index + 1].isEscapable:
      return addText((index + 1)..<(index + 2))
    case UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"): return readStress(at: index)
    case UInt8(ascii: "["):
      // `[` before the text, `](` after it, `)` after the address.
      guard let middle = brackets[index], middle + 1 < bytes.count,
        bytes[middle + 1] == UInt8(ascii: "("), let end = brackets[middle + 1], end > middle + 2
      else { break }
      links[middle] = (index, end)
      if let target = Hyperlink(text((middle + 2)..<end)) { tokens.append(.linkStart(target)) }
      return index + 1
    case UInt8(ascii: "]"):
      guard let (start, end) = links[index] else { break }
      let address = (index + 2)..<end
      // The address is shown unless the text is the address.
      let isShown = bytes[(start + 1)..<index] == bytes[address]
      tokens.append(isShown ? .linkEnd : .address(address))
      return end + 1
    case UInt8(ascii: "\n"): open = open.filter { $0.key.spansLines }
    default: break
    }
    return addText(index..<(index + 1))
  }

  /// The end of the code that a run opens: the next run of the same length.
  private mutating func codeEnd(ofRun count: Int, at start: Int) -> Int? {
    while let next = runs[count]?.first, next <= start { runs[count]?.removeFirst() }
    return runs[count]?.first.map { $0 + count }
  }

  private func run(at index: Int) -> Int {
    bytes[index...].prefix { $0 == bytes[index] }.count
  }

  private mutating func addText(_ range: Range<Int>) -> Int {
    if case .text(let last)? = tokens.last, last.upperBound == range.lowerBound {
      tokens[tokens.count - 1] = .text(last.lowerBound..<range.upperBound)
    } else {
      tokens.append(.text(range))
    }
    return range.upperBound
  }

  // MARK: - Emphasis

  private mutating func readStress(at index: Int) -> Int {
    let end = index + run(at: index)
    let before = index > 0 ? bytes[index - 1] : UInt8(ascii: " ")
    let after = end < bytes.count ? bytes[end] : UInt8(ascii: " ")
    let mark = StressMark(sign: bytes[index], count: end - index)
    guard mark.isKnown else { return addText(index..<end) }
    tokens.append(.stress(index..<end, .none))
    if !before.isSpace, !after.isASCIIAlphanumeric, let partners = partners(of: mark) {
      let first = partners.compactMap { open[$0] }.min() ?? 0
      for partner in partners {
        if let place = open[partner], case .stress(let range, _) = tokens[place] {
          tokens[place] = .stress(range, .opens(partner))
        }
      }
      tokens[tokens.count - 1] = .stress(index..<end, .closes(partners))
      // Marks opened within the pair cannot be closed after it.
      open = open.filter { $0.value < first }
    } else if !before.isASCIIAlphanumeric, before != UInt8(ascii: "/"), after.mayBeStressed {
      open[mark] = tokens.count - 1
    }
    return end
  }

  /// The open marks that a mark closes; `nil` if there are none.
  private func partners(of mark: StressMark) -> [StressMark]? {
    if open[mark] != nil { return [mark] }
    guard mark.count == 3 else { return nil }
    let both = [1, 2].map { StressMark(sign: mark.sign, count: $0) }
    return both.allSatisfy { open[$0] != nil } ? both : nil
  }

  // MARK: - Styles

  private func styled(_ style: Style, _ look: MarkdownLook) -> StyledText {
    var line = StyledText()
    var open: [StressMark] = []
    var link: Hyperlink?
    for token in tokens {
      let present = open.style(over: style)
      switch token {
      case .text(let range), .stress(let range, .none):
        line.append(joining: text(range), present, link: link)
      case .stress(let range, .opens(let mark)):
        if mark.isStrike { line.append(joining: text(range), .dim) }
        open.append(mark)
      case .stress(let range, .closes(let marks)):
        open.removeAll { marks.contains($0) }
        if marks.contains(where: \.isStrike) { line.append(joining: text(range), .dim) }
      case .code(let range):
        let code = look.keepsMarks ? range : content(ofCode: range)
        line.append(joining: text(code), .code, link: link)
      case .linkStart(let target): if look == .linked { link = target }
      case .linkEnd: link = nil
      case .address(let range):
        if let link {
          // The terminal hides the address, so the text alone could claim any other host.
          line.append(joining: " (\(link.host))", .dim)
        } else {
          line.append(joining: " (", present)
          line.append(joining: text(range), .link)
          line.append(joining: ")", present)
        }
        link = nil
      }
    }
    return line
  }

  /// Code without its backticks, and without the spaces that separate it from them; code of spaces
  /// alone keeps its marks, because it could not be seen.
  private func content(ofCode range: Range<Int>) -> Range<Int> {
    let count = run(at: range.lowerBound)
    let inner = (range.lowerBound + count)..<(range.upperBound - count)
    guard !bytes[inner].allSatisfy(\.isSpace) else { return range }
    let isSpaced = bytes[inner.lowerBound].isSpace && bytes[inner.upperBound - 1].isSpace
    return isSpaced ? (inner.lowerBound + 1)..<(inner.upperBound - 1) : inner
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

private struct StressMark: Hashable {
  var sign: UInt8
  var count: Int

  /// Two underscores are usually part of a name such as `__init__`; one tilde is a home folder.
  var isKnown: Bool {
    switch sign {
    case UInt8(ascii: "_"): count == 1
    case UInt8(ascii: "~"): count == 2
    default: count <= 3
    }
  }

  /// Whether it marks deleted text; these marks stay visible, because without colours the text would
  /// otherwise mean the opposite.
  var isStrike: Bool { sign == UInt8(ascii: "~") }

  /// A single sign often stands for itself, as in file names.
  var spansLines: Bool { count > 1 }
}

extension [StressMark] {
  fileprivate func style(over base: Style) -> Style {
    guard base == .plain else { return base }
    if contains(where: \.isStrike) { return .deleted }
    return contains { $0.count > 1 } ? .strong : isEmpty ? .plain : .emphasis
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\n") }

  /// Whether emphasized text may begin with it; patterns such as `*.swift` and `**/x` do not.
  fileprivate var mayBeStressed: Bool {
    isASCIIAlphanumeric || self > 0x7F || "`[(\"'<$@#-+_*".utf8.contains(self)
  }

  /// Whether a backslash escapes the sign; other backslashes may belong to paths or patterns.
  fileprivate var isEscapable: Bool { "*_`#|[]~<>".utf8.contains(self) }
}

extension [UInt8] {
  /// The positions of paired brackets, by that of the opening one.
  fileprivate var bracketPairs: [Int: Int] {
    var partners: [Int: Int] = [:]
    var (squares, rounds): ([Int], [Int]) = ([], [])
    for (index, byte) in enumerated() {
      switch byte {
      case UInt8(ascii: "["): squares.append(index)
      case UInt8(ascii: "]"): if let start = squares.popLast() { partners[start] = index }
      case UInt8(ascii: "("): rounds.append(index)
      case UInt8(ascii: ")"): if let start = rounds.popLast() { partners[start] = index }
      // An address cannot contain a line break.
      case UInt8(ascii: "\n"): rounds = []
      default: break
      }
    }
    return partners
  }
}

/// An address that a terminal may open: `http` or `https`, in ASCII that needs no escaping.
package struct Hyperlink: Sendable, Equatable {
  private static let limit = 2048

  package let address: String
  /// The host with its port, as it is shown.
  package let host: String

  /// Fails for any other address, and for one with a user name, which can look like a host.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.limit, text.utf8.allSatisfy(Self.isSafe) else { return nil }
    let scheme = ["https://", "http://"].first { text.lowercased().hasPrefix($0) }
    guard let scheme else { return nil }
    let host = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    guard host.utf8.first?.isASCIIAlphanumeric == true,
      host.utf8.allSatisfy({ $0.isASCIIAlphanumeric || ".-:".utf8.contains($0) })
    else { return nil }
    (address, self.host) = (text, host.lowercased())
  }

  private static func isSafe(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
  }
}
