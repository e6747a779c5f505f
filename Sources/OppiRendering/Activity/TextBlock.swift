// SPDX-License-Identifier: MIT

import OppiModel

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

  /// Wider than any terminal; without one, rows are folded at this width.
  private static let widest = 1 << 20

  /// Folds a safe line at spaces, and within words that exceed the width.
  package static func folded(_ line: String, width: Int) -> [String] {
    var rows: [String] = []
    var rest = line[...]
    let width = min(width, widest)
    while true {
      // More characters fit only if many have no width.
      let row = DisplayWidth.prefix(of: String(rest.prefix(2 * width + 1)), width: width)
      let end = rest.index(rest.startIndex, offsetBy: row.count)
      if end == rest.endIndex { return row.isEmpty && !rows.isEmpty ? rows : rows + [row] }
      guard !row.isEmpty else { return rows }
      let space = rest[..<end].lastIndex(of: " ").flatMap { $0 > rest.startIndex ? $0 : nil }
      let cut = rest[end] == " " ? end : space ?? end
      rows.append(String(rest[..<cut]))
      rest = rest[cut...].drop { $0 == " " }
    }
  }
}
