// SPDX-License-Identifier: MIT

import OppiTerminal

extension Composer {
  /// The most candidates below a field.
  private static let candidateLimit = 8

  /// The words that begin with the text; Tab takes the first.
  func candidates(among words: [String]) -> [String] {
    let text = text
    return Array(words.lazy.filter { $0.hasPrefix(text) && $0 != text }.prefix(Self.candidateLimit))
  }

  /// Replaces the text by the first word that begins with it.
  mutating func complete(among words: [String]) {
    if let first = candidates(among: words).first { replace(first) }
  }

  /// The field of one row below some lines, and above its candidates as far as there is room.
  func field(
    _ prompt: String,
    below lines: [StyledText],
    offering words: [String],
    _ size: ScreenSize
  ) -> ScreenBlock {
    let room = max(0, size.rows - lines.count - 1)
    let offered = candidates(among: words).prefix(room).enumerated().map { index, word in
      StyledText(index == 0 ? "  Tab  " : "       ", .name).with(StyledText(word, .dim))
    }
    let above = ScreenSize(columns: size.columns, rows: size.rows - offered.count)
    var block = field(prompt, below: lines, above, maxRows: 1)
    block.lines += offered.map { $0.truncated(to: size.columns) }
    return block
  }
}
