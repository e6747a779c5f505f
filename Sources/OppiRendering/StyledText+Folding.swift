// SPDX-License-Identifier: MIT

extension StyledText {
  /// Returns the line cut into rows exactly at the width, not at spaces; at least one row.
  ///
  /// A character that is too wide is divided into its scalars, each of at most two columns. `first`
  /// is the prefix of the first row; `rest` is that of the others and marks a continuation. Rows
  /// exceed `width` only if the prefixes leave less than two columns.
  package func cut(to width: Int, first: StyledText = StyledText(), rest: StyledText)
    -> [StyledText]
  {
    let roomOfRest = max(1, width - DisplayWidth.of(rest.plain))
    var room = max(1, width - DisplayWidth.of(first.plain))
    let leastRoom = min(room, roomOfRest)
    var rows = [first]
    var used = 0
    for piece in pieces {
      for part in piece.text.parts(within: leastRoom) {
        let columns = DisplayWidth.of(part)
        if used + columns > room, used > 0 {
          rows.append(rest)
          room = roomOfRest
          used = 0
        }
        rows[rows.count - 1].append(joining: part, piece.style, link: piece.link)
        used += columns
      }
    }
    return rows
  }
}

extension String {
  /// The characters; those wider than `columns` are divided into their scalars.
  func parts(within columns: Int) -> some Sequence<String> {
    lazy.flatMap { character -> [String] in
      let whole = String(character)
      guard whole.utf8.count > 1, DisplayWidth.of(whole) > columns else { return [whole] }
      return whole.unicodeScalars.map { String($0) }
    }
  }
}
