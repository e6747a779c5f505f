// SPDX-License-Identifier: MIT

import OppiText

/// Styles source code line by line, so that code which arrives in pieces has its colours at once.
///
/// The text stays as it is, and the time is linear in it.
package struct Highlighter: Sendable {
  private let language: Language?
  /// The comment or string that the last line has left open.
  private var open: OpenRegion?

  /// `name` is that of the language, as after a fence, or the extension of a file.
  package init(_ name: String) { language = Language.named(name) }

  /// Returns the next line with styles; plain if the language is unknown.
  package mutating func spans(of line: String) -> StyledText {
    guard let language, !language.isPlain else { return StyledText(line) }
    guard language.lines.isEmpty else {
      let style = language.lines.first { line.utf8.starts(with: $0.start.utf8) }?.style
      return StyledText(line, style ?? .plain)
    }
    var reader = CodeLine(line, language)
    reader.read(&open)
    return reader.text
  }
}

private struct OpenRegion {
  /// The index in the language's list.
  var index: Int
  /// How many regions are to be closed, if they are nested.
  var depth = 1
}

/// A line of code that is read.
private struct CodeLine {
  /// The longest character with its escape, as in `'\u{10FFFF}'`.
  private static let characterLimit = 12

  private let bytes: [UInt8]
  private let language: Language
  private var index = 0
  /// The end of the bytes that are in the text.
  private var taken = 0
  private(set) var text = StyledText()
  /// The regions that do not end on the rest of the line, so that no end is searched for twice.
  private var endless: Set<Int> = []

  init(_ line: String, _ language: Language) {
    (bytes, self.language) = (Array(line.utf8), language)
  }

  mutating func read(_ open: inout OpenRegion?) {
    if open != nil { readRegion(&open, from: 0) }
    while index < bytes.count {
      let kind = language.kinds[Int(bytes[index])]
      if kind.contains(.letter) {
        readWord()
      } else if kind.contains(.digit) {
        take(to: numberEnd, .number)
      } else if kind.contains(.mark), openRegion(&open) || readSign() {
        continue
      } else if kind.contains(.word), !isBeforeDigit {
        // A word such as `--in` or `./done` is no keyword.
        index = wordEnd(from: index)
      } else {
        index += 1
      }
    }
    take(to: index, .plain)
  }

  /// Appends what was passed as plain text, and then the bytes up to an end.
  ///
  /// Each part begins with ASCII, because what follows may change the width of the character before.
  private mutating func take(to end: Int, _ style: Style) {
    let start = min(index, bytes.count)
    let end = bytes[min(end, bytes.count)...].firstIndex { $0 < 0x80 } ?? bytes.count
    for (range, style) in [(taken..<start, Style.plain), (start..<end, style)] {
      text.append(joining: String(decoding: bytes[range], as: UTF8.self), style)
    }
    (index, taken) = (end, end)
  }

  private func has(_ mark: [UInt8], at index: Int) -> Bool {
    bytes[index...].starts(with: mark)
  }

  // MARK: - Words and numbers

  private mutating func readWord() {
    let end = wordEnd(from: index)
    let style = isKey(endingAt: end) ? language.key?.style : style(ofWord: index..<end)
    // Only ASCII may begin a part.
    if let style, bytes[index] < 0x80 { take(to: end, style) } else { index = end }
  }

  private var isBeforeDigit: Bool { index + 1 < bytes.count && bytes[index + 1].isASCIIDigit }

  private func wordEnd(from start: Int) -> Int {
    bytes[start...].firstIndex { !language.kinds[Int($0)].contains(.word) } ?? bytes.count
  }

  private func style(ofWord range: Range<Int>) -> Style? {
    let word = String(decoding: bytes[range], as: UTF8.self)
    if let style = language.words[language.ignoresCase ? word.lowercased() : word] { return style }
    let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[range.lowerBound])
    // Underscores are those of constants.
    let isType = isCapital && language.hasCapitalTypes && !bytes[range].contains(UInt8(ascii: "_"))
    return isType ? .type : nil
  }

  /// Whether a value follows: a colon after a word is followed by a space, unlike that of an address.
  private func isKey(endingAt end: Int, isString: Bool = false) -> Bool {
    guard let key = language.key else { return false }
    let rest = bytes[end...].drop { $0 == UInt8(ascii: " ") }
    guard rest.first == key.sign else { return false }
    let next = rest.dropFirst().first ?? UInt8(ascii: " ")
    return isString || key.sign != UInt8(ascii: ":") || next == UInt8(ascii: " ")
  }

  private var numberEnd: Int {
    var end = index
    while end < bytes.count {
      let isPoint = bytes[end] == UInt8(ascii: ".") && end + 1 < bytes.count
      let isPart = bytes[end].isASCIIAlphanumeric || bytes[end] == UInt8(ascii: "_")
      guard isPart || isPoint && bytes[end + 1].isASCIIDigit else { break }
      end += 1
    }
    return end
  }

  /// Reads a sign and the keyword that it makes of the next word.
  private mutating func readSign() -> Bool {
    let isBracket = language.brackets.contains(bytes[index])
    let isAfterWord = index > 0 && language.kinds[Int(bytes[index - 1])].contains(.word)
    guard isBracket || language.signs.contains(bytes[index]) && !isAfterWord else { return false }
    // `</` of an end tag.
    let isEnd = isBracket && bytes[index...].dropFirst().first == UInt8(ascii: "/")
    let start = index + (isEnd ? 2 : 1)
    guard start < bytes.count, bytes[start].isASCIILetter else { return false }
    if isBracket { index = start }
    take(to: wordEnd(from: start), .keyword)
    return true
  }

  // MARK: - Regions

  /// Reads a region that begins here; false if there is none.
  private mutating func openRegion(_ open: inout OpenRegion?) -> Bool {
    guard let number = language.regions.firstIndex(where: { has($0.start, at: index) }) else {
      return false
    }
    let region = language.regions[number]
    let start = index + region.start.count
    switch region.extent {
    case .rest:
      // `#` and `;` within text begin no comment, as in `$#` and in the address of an anchor.
      guard region.start.count > 1 || index == 0 || bytes[index - 1] == UInt8(ascii: " ") else {
        return false
      }
      take(to: bytes.count, region.style)
    case .character:
      guard let end = characterEnd(of: region, from: start) else { return false }
      take(to: end, region.style)
    case .line:
      guard !endless.contains(number) else { return false }
      var depth = 1
      guard let end = end(of: region, from: start, &depth) else {
        endless.insert(number)
        return false
      }
      let keyStyle = isKey(endingAt: end, isString: true) ? language.key?.style : nil
      take(to: end, keyStyle ?? region.style)
    case .lines:
      open = OpenRegion(index: number)
      readRegion(&open, from: start)
    }
    return true
  }

  /// Reads an open region, and closes it if it ends on the line.
  private mutating func readRegion(_ open: inout OpenRegion?, from start: Int) {
    guard var region = open else { return }
    let found = language.regions[region.index]
    let end = end(of: found, from: start, &region.depth)
    open = end == nil ? region : nil
    take(to: end ?? bytes.count, found.style)
  }

  /// Returns the end of a region, which closes as many as are open; `nil` if it is not on the line.
  private func end(of region: Language.Region, from start: Int, _ depth: inout Int) -> Int? {
    var index = start
    while index < bytes.count {
      if region.hasEscapes, bytes[index] == UInt8(ascii: "\\") {
        index += 2
      } else if has(region.end, at: index) {
        depth -= 1
        index += region.end.count
        if depth == 0 { return index }
      } else if region.isNested, has(region.start, at: index) {
        depth += 1
        index += region.start.count
      } else {
        index += 1
      }
    }
    return nil
  }

  private func characterEnd(of region: Language.Region, from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    let rest = bytes[start...].prefix(Self.characterLimit)
    let isEscape = rest.first == UInt8(ascii: "\\")
    guard let end = rest.dropFirst(isEscape ? 2 : 1).firstIndex(where: { $0 == region.end.first })
    else { return nil }
    let scalars = bytes[start..<end].count { $0 & 0xC0 != 0x80 }
    return isEscape || scalars == 1 ? end + 1 : nil
  }
}
