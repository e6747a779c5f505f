// SPDX-License-Identifier: MIT

package import OppiText

/// A diff in rows: lines with their numbers, and gaps where common lines are omitted.
package struct DiffRows: Sendable, Equatable {
  private struct Row: Sendable, Equatable {
    let line: LineDiff.Line
    /// The number in the old text, of an added line that in the new one; `nil` if unknown.
    let number: Int?
  }

  /// The mark of removed lines on a screen.
  package static let minus = "−"
  /// Between a number and the mark.
  private static let gutter = "    "
  /// Narrower rows have no numbers.
  private static let leastWidth = 24
  /// A greater number is not that of a line.
  private static let numbers = 1...9_999_999

  /// `nil` is a gap.
  private var rows: [Row?]

  /// The lines of a diff; `change` is the number of the first line that differs, if it is known.
  package init(_ diff: LineDiff, firstChange change: Int? = nil) {
    let offset = diff.lines.firstIndex { !$0.isCommon } ?? 0
    let isKnown = change.map { Self.numbers.contains($0) && $0 > offset } ?? false
    var (old, new) = (change ?? 0, change ?? 0)
    if isKnown { (old, new) = (old - offset, new - offset) }
    rows = diff.lines.map { line in
      defer {
        if isKnown, !line.isAdded { old += 1 }
        if isKnown, !line.isRemoved { new += 1 }
      }
      return Row(line: line, number: isKnown ? (line.isAdded ? new : old) : nil)
    }
  }

  /// Diffs of one text, with gaps between them.
  package init(joining diffs: [DiffRows]) {
    rows = Array(diffs.map(\.rows).joined(separator: [nil]))
  }

  /// Reads a diff with numbers, as agents report it; `nil` for any other form.
  ///
  /// Each line is a mark, a right-aligned number, a space and a text; ` ...` is a gap. The numbers
  /// must be consecutive, so that no other text is taken for them.
  package init?(numbered text: String) {
    rows = []
    var (old, new, isGap) = (1, 1, true)
    for bytes in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let rest = bytes.dropFirst().drop { $0 == UInt8(ascii: " ") }
      if bytes.first == UInt8(ascii: " "), rest.elementsEqual("...".utf8) {
        rows.append(nil)
        isGap = true
        continue
      }
      guard let (number, text) = Self.numbered(rest) else { return nil }
      let line: LineDiff.Line
      switch bytes.first {
      case UInt8(ascii: " "): line = .common(text)
      case UInt8(ascii: "-"): line = .removed(text)
      case UInt8(ascii: "+"): line = .added(text)
      default: return nil
      }
      let skipped = number - (line.isAdded ? new : old)
      guard skipped == 0 || isGap && skipped > 0 else { return nil }
      (old, new, isGap) = (old + skipped, new + skipped, false)
      rows.append(Row(line: line, number: number))
      if !line.isAdded { old += 1 }
      if !line.isRemoved { new += 1 }
    }
  }

  private static func numbered(_ bytes: Substring.UTF8View) -> (number: Int, text: String)? {
    let digits = bytes.prefix(while: \.isASCIIDigit)
    let rest = bytes.dropFirst(digits.count)
    guard let number = Int(Substring(digits)), numbers.contains(number),
      rest.first == UInt8(ascii: " ")
    else { return nil }
    return (number, String(Substring(rest.dropFirst())))
  }

  // MARK: - Context

  /// The diff without common lines that are more than `context` lines from a difference.
  package func near(_ context: Int) -> DiffRows {
    var near = self
    near.rows = []
    var isGap = false
    for (row, isNear) in zip(rows, isNear(context)) {
      guard let row, isNear else {
        isGap = true
        continue
      }
      if isGap, !near.rows.isEmpty { near.rows.append(nil) }
      near.rows.append(row)
      isGap = false
    }
    return near
  }

  private func isNear(_ context: Int) -> [Bool] {
    var isNear = rows.map { $0?.line.isCommon == false }
    func spread(_ indices: some Sequence<Int>) {
      var left = 0
      for index in indices {
        guard let row = rows[index] else {
          left = 0
          continue
        }
        if !row.line.isCommon {
          left = context
        } else if left > 0 {
          isNear[index] = true
          left -= 1
        }
      }
    }
    spread(rows.indices)
    spread(rows.indices.reversed())
    // The empty last line of a text that ends with a line feed is not shown.
    if rows.last??.line == .common("") { isNear[rows.count - 1] = false }
    return isNear
  }

  // MARK: - Text

  /// Returns a block of rows for each line or gap; a long line continues at a space, marked with `↪`.
  ///
  /// Numbers have a column if any is known and there is room. `shown` makes the text of a line safe.
  package func blocks(
    width: Int,
    minus: String = minus,
    shown: (String, Style) -> StyledText = { StyledText(TextBlock.safe(line: $0), $1) }
  ) -> [[StyledText]] {
    let greatest = width < Self.leastWidth ? nil : rows.compactMap { $0?.number }.max()
    let digits = greatest.map { String($0).count }
    let indent = digits.map { $0 + Self.gutter.count + 2 } ?? 2
    return rows.map { row in
      let number = row?.number.map(String.init) ?? ""
      var head = StyledText()
      if let digits {
        let space = String(repeating: " ", count: digits - number.count)
        head.append(space + number + Self.gutter, .dim)
      }
      guard let row else { return [head.with(StyledText("…", .dim))] }
      let (mark, text, style) = row.line.parts(minus: minus)
      head.append("\(mark) ", style)
      let rest = StyledText(String(repeating: " ", count: indent - 2) + "↪ ", .dim)
      return shown(text, style).folded(to: max(1, width - indent), indent: 0).enumerated()
        .map { index, row in (index == 0 ? head : rest).with(row) }
    }
  }

  /// The same in at most `limit` rows that fit the width; the last one counts what is not shown.
  package func rows(width: Int, limit: Int) -> [StyledText] {
    var start = self
    // Every line has at least a row.
    start.rows = Array(rows.prefix(limit))
    let blocks = start.blocks(width: width).map { $0.map { $0.truncated(to: width) } }
    let all = Array(blocks.joined())
    guard rows.count > limit || all.count > limit else { return all }
    var (shown, count): ([StyledText], Int) = ([], 0)
    for block in blocks {
      guard shown.count + block.count < limit else { break }
      shown += block
      count += 1
    }
    // Of a line that is too long, the start is shown.
    if count == 0 { shown = Array(all.prefix(limit - 1)) }
    let more = StyledText("… \((rows.count - count).counted("more line"))", .dim)
    return shown + [more.truncated(to: width)]
  }
}

extension LineDiff.Line {
  fileprivate func parts(minus: String) -> (mark: String, text: String, style: Style) {
    switch self {
    case .common(let text): (" ", text, .plain)
    case .removed(let text): (minus, text, .removed)
    case .added(let text): ("+", text, .added)
    }
  }
}
