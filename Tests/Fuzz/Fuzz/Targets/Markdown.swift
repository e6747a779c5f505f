// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// Any answer can be laid out: no row is too wide or unsafe, and no letter is lost.
func fuzzMarkdown(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  for width in [1, 8, 30, 200] {
    let rows = Markdown.rows(of: text, width: width).map(\.plain)
    expectSafe(rows, width: max(2, width))
    // A link whose text is its address is shown once.
    guard !text.utf8.contains(UInt8(ascii: "[")) else { continue }
    let (shown, all) = (letters(rows.joined()), letters(text.safeBlock()))
    // A table may wrap its cells, or repeat its labels.
    let isKept = text.utf8.contains(UInt8(ascii: "|")) ? shown.count >= all.count : shown == all
    precondition(isKept, "letters were lost or moved")
  }
  expectSameInPieces(text)
}

/// A text that arrives in pieces has the same rows.
private func expectSameInPieces(_ text: String) {
  var stream = MarkdownStream(width: 30)
  var rows: [StyledText] = []
  var rest = text.unicodeScalars[...]
  var size = 1
  while !rest.isEmpty {
    rows += stream.append(String(rest.prefix(size)))
    precondition(stream.live(rows: 5).count <= 5, "too many live rows")
    rest = rest.dropFirst(size)
    size = size % 7 + 1
  }
  rows += stream.flush()
  precondition(rows == Markdown.rows(of: text, width: 30), "the pieces matter")
}

private func letters(_ text: String) -> [Unicode.Scalar] {
  text.unicodeScalars.filter(\.properties.isAlphabetic)
}
