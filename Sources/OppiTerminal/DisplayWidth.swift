// SPDX-License-Identifier: MIT

import OppiText

/// The width of a text in terminal columns.
///
/// Counts scalars like `wcwidth(3)`, because terminals advance by scalar, not by grapheme cluster.
/// Where versions of Unicode disagree, it is the greatest width, so that no row exceeds the
/// terminal's.
package enum DisplayWidth {
  /// Which width counts where terminals of the same version disagree.
  package enum Measure: Sendable {
    /// The common one: East Asian ambiguous characters, such as Cyrillic letters, are narrow, and a
    /// flag is one picture.
    case usual
    /// The greatest, for text of which a user must see every character.
    case greatest
  }

  package static func of(_ text: String, _ measure: Measure = .usual) -> Int {
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
    var (columns, last, isHalfFlag) = (0, 0, false)
    for scalar in text.unicodeScalars {
      let isFlag = measure == .usual && (0x1F1E6...0x1F1FF).contains(scalar.value)
      if scalar == .pictureSelector {
        // Some terminals draw the emoji form of a narrow character in two columns.
        columns += last == 1 ? 1 : 0
        last = 0
      } else {
        // The second half of a flag takes the columns of the first.
        last = isFlag && isHalfFlag ? 0 : of(scalar, measure)
        columns += last
      }
      isHalfFlag = isFlag && !isHalfFlag
    }
    return columns
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

  fileprivate static func of(_ scalar: Unicode.Scalar, _ measure: Measure) -> Int {
    let range = WidthTable.range(of: scalar)
    return Int(measure == .usual ? range >> 2 & 3 : range & 3)
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
    rows(of: line, first: width, rest: width, .usual).map { String(line[$0]) }
  }

  /// The rows of a folded line, of which the first may have another width than the rest.
  static func rows(
    of line: String,
    first: Int,
    rest: Int,
    _ measure: DisplayWidth.Measure
  ) -> [Range<String.Index>] {
    var rows: [Range<String.Index>] = []
    var left = line.parts(within: min(first, rest), measure)[...]
    repeat {
      var row = left.prefix(fitting: rows.isEmpty ? first : rest, measure)
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
  fileprivate func prefix(fitting width: Int, _ measure: DisplayWidth.Measure) -> Self {
    var used = 0
    return prefix { part in
      let columns = DisplayWidth.of(String(part), measure)
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
  func parts(within columns: Int, _ measure: DisplayWidth.Measure = .usual) -> [Substring] {
    var parts: [Substring] = []
    var start = startIndex
    while start < endIndex {
      let end = index(after: start)
      let whole = self[start..<end]
      if whole.utf8.count == 1 || DisplayWidth.of(String(whole), measure) <= columns {
        parts.append(whole)
      } else {
        parts += whole.divided(measure)
      }
      start = end
    }
    return parts
  }
}

extension Substring {
  /// The scalars, each with those after it that have no columns of their own: a selector may widen
  /// the scalar before it.
  fileprivate func divided(_ measure: DisplayWidth.Measure) -> [Substring] {
    var parts: [Substring] = []
    var start = startIndex
    for index in unicodeScalars.indices
    where index > start && DisplayWidth.of(unicodeScalars[index], measure) > 0 {
      parts.append(self[start..<index])
      start = index
    }
    return parts + [self[start...]]
  }
}
