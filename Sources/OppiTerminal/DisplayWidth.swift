// SPDX-License-Identifier: MIT

import OppiModel

/// The width of a text in terminal columns.
///
/// Counts scalars like `wcwidth(3)`, because terminals advance by scalar, not by grapheme cluster.
/// Where terminals disagree, it is the greater width, so that no row exceeds the terminal's.
package enum DisplayWidth {
  package static func of(_ text: String) -> Int {
    var isNarrow = false
    return text.unicodeScalars.reduce(0) { width, scalar in
      // Some terminals draw the emoji form of a narrow character in two columns.
      let columns = scalar == .pictureSelector && isNarrow ? 1 : of(scalar)
      isNarrow = columns == 1 && scalar != .pictureSelector
      return width + columns
    }
  }

  /// Returns the longest prefix of a text that fits a width.
  package static func prefix(of text: String, width: Int) -> String {
    var used = 0
    var end = text.startIndex
    for index in text.indices {
      used += of(String(text[index]))
      if used > width { break }
      end = text.index(after: index)
    }
    return String(text[..<end])
  }

  fileprivate static func of(_ scalar: Unicode.Scalar) -> Int {
    if (0x20...0x7E).contains(scalar.value) { return 1 }
    switch scalar.properties.generalCategory {
    // The soft hyphen is a format character, but terminals display it.
    case .format: return scalar.value == 0xAD ? 1 : 0
    case .nonspacingMark, .enclosingMark, .control: return 0
    default: return isJoining(scalar) ? 0 : isWide(scalar) ? 2 : 1
    }
  }

  /// Whether the scalar is a vowel or final consonant of Hangul, which joins the preceding
  /// syllable.
  private static func isJoining(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1160...0x11FF, 0xD7B0...0xD7FB: true
    default: false
    }
  }

  /// Whether the scalar is East Asian wide or full-width (UAX #11), or an emoji shown as a picture.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x16FE0...0x18D08, 0x1AFF0...0x1B2FB, 0x1F200...0x1F265,
      0x20000...0x3FFFD:
      true
    // Each half of a flag is narrow, so that the pair has the two columns of a picture.
    case 0x1F1E6...0x1F1FF: false
    default: scalar.properties.isEmojiPresentation
    }
  }
}

extension Character {
  /// The character as displayed: a tab has a fixed width.
  var cells: String { self == "\t" ? "    " : String(self) }

  var columns: Int { DisplayWidth.of(cells) }
}

/// Multi-line text, made safe to show and folded to the width of a terminal.
package enum TextBlock {
  /// Returns a line without control sequences.
  ///
  /// Tabs become spaces. Of a line overwritten with carriage returns, such as a progress bar,
  /// returns the last state.
  package static func safe(line: String) -> String {
    let states = line.unicodeScalars.split(separator: "\r")
    let last = states.last.map { String($0) } ?? ""
    return last.safeBlock().split(separator: "\t", omittingEmptySubsequences: false)
      .joined(separator: "  ")
  }

  /// Returns the lines of a text, each made safe, without trailing blank lines.
  package static func lines(of text: String) -> [String] {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { safe(line: String($0)) }
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return lines
  }

  /// Returns the last lines of a text of any length.
  package static func lastLines(of text: String, count: Int) -> [String] {
    lines(of: text.tail(bytes: max(0, count) * 1024)).suffix(max(0, count))
  }

  /// Returns the last rows of a text folded at spaces to a width in columns.
  ///
  /// Only the end of a long text is folded. Its start moves rarely, so that rows stay stable while
  /// the text grows.
  package static func lastRows(of text: String, count: Int, width: Int) -> [String] {
    guard count > 0, width > 0 else { return [] }
    let page = count * width * 4
    let skipped = max(0, text.utf8.count - page) / page * page
    let end = text.tail(bytes: text.utf8.count - skipped)
    return lines(of: end).flatMap { folded($0, width: width) }.suffix(count)
  }

  /// Folds a safe line at spaces, and within words that exceed the width; at least one row.
  ///
  /// Only spaces are dropped. A row exceeds `width` only if a single part of a character does.
  package static func folded(_ line: String, width: Int) -> [String] {
    rows(of: line, first: width, rest: width).map { String(line[$0]) }
  }

  /// The rows of a folded line, of which the first may have another width than the rest.
  static func rows(of line: String, first: Int, rest: Int) -> [Range<String.Index>] {
    var rows: [Range<String.Index>] = []
    var left = line.parts(within: min(first, rest))[...]
    repeat {
      var row = left.prefix(fitting: rows.isEmpty ? first : rest)
      let next = left[row.endIndex...].first
      if next != nil, next != " ", let space = row.dropFirst().lastIndex(of: " ") {
        row = row[..<space]
      }
      let start = row.first?.startIndex ?? line.startIndex
      rows.append(start..<(row.last?.endIndex ?? start))
      left = left[row.endIndex...].drop { $0 == " " }
    } while !left.isEmpty
    return rows
  }
}

extension ArraySlice<Substring> {
  /// The parts that fit a width together; the first one also if it does not fit.
  fileprivate func prefix(fitting width: Int) -> Self {
    var used = 0
    return prefix { part in
      let columns = DisplayWidth.of(String(part))
      guard used == 0 || used + columns <= width else { return false }
      used += columns
      return true
    }
  }
}

extension String {
  /// The characters in order; those wider than `columns` are divided into parts of at most two
  /// columns.
  ///
  /// Nothing is dropped, and the widths of the parts add up to that of the text, so that rows of
  /// them are as wide as measured.
  func parts(within columns: Int) -> [Substring] {
    var parts: [Substring] = []
    var start = startIndex
    while start < endIndex {
      let end = index(after: start)
      let whole = self[start..<end]
      if whole.utf8.count == 1 || DisplayWidth.of(String(whole)) <= columns {
        parts.append(whole)
      } else {
        parts += whole.divided
      }
      start = end
    }
    return parts
  }
}

extension Substring {
  /// The scalars, each with those after it that have no columns of their own: a selector may widen
  /// the scalar before it.
  fileprivate var divided: [Substring] {
    var parts: [Substring] = []
    var start = startIndex
    for index in unicodeScalars.indices
    where index > start && DisplayWidth.of(unicodeScalars[index]) > 0 {
      parts.append(self[start..<index])
      start = index
    }
    return parts + [self[start...]]
  }
}
