// SPDX-License-Identifier: MIT

extension StyledText {
  /// Returns the line cut wherever the width ends, so that no character moves within its row.
  ///
  /// A character that alone is too wide is cut between its scalars, of which none takes more than two
  /// columns.
  /// - Parameters:
  ///   - width: The columns that no row exceeds, where they leave two beside what rows begin with.
  ///   - first: What the first row begins with.
  ///   - rest: What the others begin with, which tells that they go on with the row above them.
  /// - Returns: At least one row.
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
        rows[rows.count - 1].append(joining: part, piece.style)
        used += columns
      }
    }
    return rows
  }
}

extension String {
  /// The characters, of which those that are wider than a row are divided into their scalars.
  func parts(within columns: Int) -> some Sequence<String> {
    lazy.flatMap { character -> [String] in
      let whole = String(character)
      guard whole.utf8.count > 1, DisplayWidth.of(whole) > columns else { return [whole] }
      return whole.unicodeScalars.map { String($0) }
    }
  }
}
