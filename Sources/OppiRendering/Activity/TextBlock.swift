// SPDX-License-Identifier: MIT

import OppiModel

/// Text of several lines, made safe to show and cut to a terminal.
package enum TextBlock {
  /// Returns a line without anything that could steer a terminal; tabs become spaces, and of a line
  /// that was written over (a progress bar) the last state is taken.
  package static func safe(line: String) -> String {
    let states = line.unicodeScalars.split(separator: "\r")
    let last = states.last.map { String($0) } ?? ""
    return last.safeBlock().split(separator: "\t", omittingEmptySubsequences: false)
      .joined(separator: "  ")
  }

  /// Returns the lines of a text, each made safe, without the empty ones at its end.
  package static func lines(of text: String) -> [String] {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { safe(line: String($0)) }
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return lines
  }

  /// Returns the last lines of a text, which may be of any length.
  package static func lastLines(of text: String, count: Int) -> [String] {
    lines(of: text.tail(bytes: max(0, count) * 1024)).suffix(max(0, count))
  }

  /// Returns the last rows of a text that is folded at spaces to a width in columns.
  ///
  /// Of a long text only the end is folded, and always from the same place for a while, so that the
  /// rows stay where they are when the text grows.
  package static func lastRows(of text: String, count: Int, width: Int) -> [String] {
    guard count > 0, width > 0 else { return [] }
    let page = count * width * 4
    let skipped = max(0, text.utf8.count - page) / page * page
    let end = text.tail(bytes: text.utf8.count - skipped)
    return lines(of: end).flatMap { folded($0, width: width) }.suffix(count)
  }

  /// No terminal is wider; where there is none, nothing is folded before this.
  private static let widest = 1 << 20

  /// Folds a safe line at spaces, and inside of words that are wider than the width.
  package static func folded(_ line: String, width: Int) -> [String] {
    var rows: [String] = []
    var rest = line[...]
    let width = min(width, widest)
    while true {
      // More characters than this fit only where many of them take no room.
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
