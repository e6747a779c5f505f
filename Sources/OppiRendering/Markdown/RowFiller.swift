// SPDX-License-Identifier: MIT

import OppiModel

/// Wraps text at words into rows.
///
/// A word wider than a row is cut at its end. Text can be cut between any wide characters, as in
/// Chinese and Japanese.
struct RowFiller {
  private let width: Int
  private var rows: [StyledText] = []
  private var row = Run()
  /// The spaces after the row, used only if more text follows in it.
  private var gap = Run()
  private var word = Run()

  private struct Run {
    var text = StyledText()
    var columns = 0

    mutating func add(_ part: String, _ piece: StyledText.Piece, columns: Int) {
      text.append(joining: part, piece.style, link: piece.link)
      self.columns += columns
    }

    mutating func add(_ other: Run) {
      for piece in other.text.pieces {
        text.append(joining: piece.text, piece.style, link: piece.link)
      }
      columns += other.columns
    }
  }

  /// Creates a filler for rows of at least two columns.
  init(width: Int) {
    self.width = width
  }

  /// Returns a text in rows that are safe to show, with its own line breaks.
  static func rows(of text: String, _ style: Style, width: Int) -> [StyledText] {
    var filler = RowFiller(width: max(2, width))
    let text = text.safeBlock().split(separator: "\t", omittingEmptySubsequences: false)
      .joined(separator: "    ")
    filler.add(StyledText.Piece(text: text, style: style))
    return filler.finish()
  }

  mutating func add(_ piece: StyledText.Piece) {
    for part in piece.text.parts(within: width) {
      let columns = DisplayWidth.of(part)
      switch part {
      case "\n":
        endWord()
        endRow()
      case " ":
        endWord()
        gap.add(part, piece, columns: columns)
      default: add(part, piece, columns: columns)
      }
    }
  }

  mutating func finish() -> [StyledText] {
    endWord()
    endRow()
    return rows
  }

  private mutating func add(_ part: String, _ piece: StyledText.Piece, columns: Int) {
    let isWide = columns > 1
    if isWide || word.columns + columns > width { endWord() }
    word.add(part, piece, columns: columns)
    if isWide { endWord() }
  }

  private mutating func endWord() {
    guard !word.text.isEmpty else { return }
    if row.columns + gap.columns + word.columns > width, row.columns > 0 { endRow() }
    // Spaces that leave no room for the word are dropped.
    if gap.columns + word.columns <= width { row.add(gap) }
    row.add(word)
    gap = Run()
    word = Run()
  }

  private mutating func endRow() {
    rows.append(row.text)
    row = Run()
    gap = Run()
  }
}
