// SPDX-License-Identifier: MIT

/// The change of a displayed row into another one: where it starts, and what to write there.
///
/// Cells that stay the same at both ends are not written again, so that a moved selection takes a
/// few bytes on a slow connection. Terminals differ in the width of characters, so a change starts
/// only where the column is certain, the terminal is told the column where an area begins, and the
/// end of a row stays only if nothing before it can move.
struct RowChange: Equatable {
  /// From 0.
  let column: Int
  let bytes: String

  private static let erasure = "\u{1B}[K"

  init(from old: [Canvas.Cell], to new: [Canvas.Cell], in theme: Theme) {
    let (old, new) = (Self.glyphs(of: old), Self.glyphs(of: new))
    let start = Self.start(of: zip(old, new).prefix { $0 == $1 }.map(\.0))
    let end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
    let (before, after) = (old[start..<old.count - end], new[start..<new.count - end])
    column = start < new.count ? new[start].column : new.last?.end ?? 0
    if Self.keep(new[(new.count - end)...], before + after), Self.haveSameWidth(before, after) {
      bytes = Self.text(of: after, in: theme)
    } else {
      bytes = Self.erasure + Self.text(of: new[start...], in: theme)
    }
  }

  /// The bytes of a whole row, for a terminal whose row is blank.
  static func text(of row: [Canvas.Cell], in theme: Theme) -> String {
    text(of: glyphs(of: row)[...], in: theme)
  }

  // MARK: - Glyphs

  /// A character on the screen.
  private struct Glyph: Equatable {
    let cell: Canvas.Cell
    let column: Int
    var columns = 1

    var end: Int { column + columns }

    /// Whether it has the same columns in every terminal: ASCII, and most symbols, such as `✓`.
    var isCertain: Bool {
      let scalars = cell.text.unicodeScalars
      guard cell.text.utf8.count != 1 else { return true }
      guard let scalar = scalars.first, scalars.count == 1 else { return false }
      return scalar.properties.generalCategory == .otherSymbol
        && DisplayWidth.of(cell.text, .greatest) == 1
    }
  }

  /// The characters of a row without the blanks at its end.
  private static func glyphs(of row: [Canvas.Cell]) -> [Glyph] {
    var glyphs: [Glyph] = []
    let last = row.lastIndex { !$0.isBlank } ?? -1
    for (column, cell) in row[...last].enumerated() {
      if cell.text.isEmpty, !glyphs.isEmpty {
        glyphs[glyphs.count - 1].columns += 1
      } else {
        glyphs.append(Glyph(cell: cell, column: column))
      }
    }
    return glyphs
  }

  /// The last character after these whose column is certain.
  private static func start(of same: [Glyph]) -> Int {
    var start = 0
    for (index, glyph) in same.enumerated() {
      if glyph.cell.isStart { start = index }
      if start == index, glyph.isCertain { start = index + 1 }
    }
    return start
  }

  /// Whether the end of a row stays as it is while characters before it are written.
  ///
  /// What begins an area behind an uncertain column erases what is behind it, and characters of
  /// uncertain width may reach into it.
  private static func keep(_ end: ArraySlice<Glyph>, _ written: ArraySlice<Glyph>) -> Bool {
    written.allSatisfy(\.isCertain) || (written + end).allSatisfy { !$0.cell.isStart }
  }

  /// Whether two texts take the same columns in any terminal: their characters of uncertain width
  /// are the same, in the same order.
  private static func haveSameWidth(_ old: ArraySlice<Glyph>, _ new: ArraySlice<Glyph>) -> Bool {
    func uncertain(_ glyphs: ArraySlice<Glyph>) -> [String] {
      glyphs.filter { !$0.isCertain }.map(\.cell.text)
    }
    return old.count == new.count && uncertain(old) == uncertain(new)
  }

  private static func text(of glyphs: ArraySlice<Glyph>, in theme: Theme) -> String {
    var (text, isCertain) = ("", true)
    var rest = glyphs
    while let first = rest.first {
      if first.cell.isStart, !isCertain {
        text += "\u{1B}[\(first.column + 1)G\(erasure)"
        isCertain = true
      }
      var run = rest.prefix { $0.cell.looksLike(first.cell) }
      if let next = run.dropFirst().firstIndex(where: \.cell.isStart) { run = run[..<next] }
      text += theme.render(run.map(\.cell.text).joined(), first.cell)
      isCertain = isCertain && run.allSatisfy(\.isCertain)
      rest = rest[run.endIndex...]
    }
    return text
  }
}

extension Canvas.Cell {
  fileprivate var isBlank: Bool {
    text == " " && style == .plain && link == nil && !isSelected
  }

  fileprivate func looksLike(_ other: Canvas.Cell) -> Bool {
    style == other.style && link == other.link && isSelected == other.isSelected
  }
}

extension Theme {
  fileprivate func render(_ text: String, _ cell: Canvas.Cell) -> String {
    render(text, cell.style, isSelected: cell.isSelected, link: cell.link)
  }
}
