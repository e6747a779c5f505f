// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// Any answer can be laid out: no row is too wide or unsafe, and no letter is lost.
func fuzzMarkdown(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  for width in [1, 8, 30, 200] {
    let rows = Markdown.rows(of: text, width: width).map(\.plain)
    expectSafe(rows, width: max(2, width))
    // A link whose text is its address is shown once.
    guard !text.utf8.contains(UInt8(ascii: "[")) else { continue }
    precondition(letters(rows.joined()) == letters(text.safeBlock()), "letters were lost or moved")
  }
}

private func letters(_ text: String) -> [Unicode.Scalar] {
  text.unicodeScalars.filter(\.properties.isAlphabetic)
}
