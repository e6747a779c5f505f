// SPDX-License-Identifier: MIT

import OppiModel

/// The text of a paragraph, a heading or a cell, with the code, the stress and the links in it.
///
/// Marks of stress and of links are left out where they come in pairs; all else stays as it is
/// written. Each byte is looked at a few times, however marks are nested.
struct InlineText {
  /// Returns the text in pieces, with its line breaks.
  static func pieces(of text: String, style: Style) -> [StyledText.Piece] {
    var reader = InlineText(Array(text.utf8))
    reader.read()
    return reader.pieces(style)
  }

  private enum Token {
    case text(Range<Int>)
    case code(Range<Int>)
    /// A mark of stress that found no partner is text.
    case stress(Range<Int>, Pairing)
    /// Where a link goes.
    case address(Range<Int>)
  }

  private enum Pairing {
    case none
    case opens(StressMark)
    case closes([StressMark])
  }

  private let bytes: [UInt8]
  private var tokens: [Token] = []
  private var codeEnds: CodeEnds
  private let brackets: BracketPairs
  /// The links that have begun, by where their texts end.
  private var links: [Int: Link] = [:]
  /// The marks that may still find a partner, as places in the tokens.
  private var open: [StressMark: Int] = [:]

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    codeEnds = CodeEnds(bytes)
    brackets = BracketPairs(bytes)
  }

  // MARK: - Reading

  private mutating func read() {
    var index = 0
    while index < bytes.count { index = readToken(at: index) }
  }

  /// Reads what begins at a place and returns where the next begins.
  private mutating func readToken(at index: Int) -> Int {
    switch bytes[index] {
    case UInt8(ascii: "`"):
      let count = run(at: index)
      guard let end = codeEnds.end(ofRun: count, at: index) else {
        return addText(index..<(index + count))
      }
      tokens.append(.code(index..<end))
      return end
    case UInt8(ascii: "\\") where index + 1 < bytes.count && bytes[index + 1].isEscapable:
      return addText((index + 1)..<(index + 2))
    case UInt8(ascii: "*"), UInt8(ascii: "_"): return readStress(at: index)
    case UInt8(ascii: "["):
      guard let link = brackets.link(openedAt: index) else { break }
      links[link.textEnd] = link
      return index + 1
    case UInt8(ascii: "]"):
      guard let link = links[index] else { break }
      addAddress(of: link)
      return link.end + 1
    case UInt8(ascii: "\n"): open = open.filter { $0.key.spansLines }
    default: break
    }
    return addText(index..<(index + 1))
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

  /// Adds where a link goes, unless its text is the address.
  private mutating func addAddress(of link: Link) {
    let address = (link.textEnd + 2)..<link.end
    guard bytes[(link.start + 1)..<link.textEnd] != bytes[address] else { return }
    tokens.append(.address(address))
  }

  // MARK: - Stress

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
      // What was opened inside of the pair cannot be closed behind it.
      open = open.filter { $0.value < first }
    } else if !before.isASCIIAlphanumeric, before != UInt8(ascii: "/"), after.mayBeStressed {
      open[mark] = tokens.count - 1
    }
    return end
  }

  /// The open marks that a mark closes; `nil` where there is none.
  private func partners(of mark: StressMark) -> [StressMark]? {
    if open[mark] != nil { return [mark] }
    guard mark.count == 3 else { return nil }
    let both = [1, 2].map { StressMark(sign: mark.sign, count: $0) }
    return both.allSatisfy { open[$0] != nil } ? both : nil
  }

  // MARK: - Pieces

  private func pieces(_ style: Style) -> [StyledText.Piece] {
    var line = StyledText()
    var open: [StressMark] = []
    for token in tokens {
      switch token {
      case .text(let range), .stress(let range, .none):
        line.append(joining: text(range), open.style(over: style))
      case .stress(_, .opens(let mark)): open.append(mark)
      case .stress(_, .closes(let marks)): open.removeAll { marks.contains($0) }
      case .code(let range): line.append(joining: text(range), .code)
      case .address(let range):
        line.append(joining: " (", open.style(over: style))
        line.append(joining: text(range), .link)
        line.append(joining: ")", open.style(over: style))
      }
    }
    return line.pieces
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

/// A run of signs that stress what stands between it and another one.
private struct StressMark: Hashable {
  var sign: UInt8
  var count: Int

  /// Two underscores are rather of a name, such as `__init__`, than a mark.
  var isKnown: Bool { count <= (sign == UInt8(ascii: "_") ? 1 : 3) }

  /// A single sign is too easily one that stands for itself, as in the names of files.
  var spansLines: Bool { count > 1 }
}

extension [StressMark] {
  fileprivate func style(over base: Style) -> Style {
    guard base == .plain else { return base }
    return contains { $0.count > 1 } ? .strong : isEmpty ? .plain : .emphasis
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\n") }

  /// Whether a stressed text may begin with it; patterns such as `*.swift` and `**/x` do not.
  fileprivate var mayBeStressed: Bool {
    isASCIIAlphanumeric || self > 0x7F || "`[(\"'<$@#-+_*".utf8.contains(self)
  }

  /// Whether a backslash before it means the sign itself; others may be of a path or a pattern.
  fileprivate var isEscapable: Bool { "*_`#|[]~<>".utf8.contains(self) }
}
