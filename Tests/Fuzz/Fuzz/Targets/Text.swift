// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// Sanitized text controls no terminal, and sanitizing it again changes nothing.
func fuzzText(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  let block = text.safeBlock()
  expectSafe(block, alsoAllowed: ["\n", "\t"])
  precondition(block.safeBlock() == block, "a block that changes again")
  for limit in [0, 1, 2, 10, 300] {
    let line = text.safeLine(limit: limit)
    expectSafe(line)
    precondition(line.utf8.count <= max(limit * 32, 3), "a line without an end")
    precondition(line.safeLine(limit: limit) == line, "a line that changes again: \(line)")
  }
  for width in [1, 2, 7, 80] {
    expectSafe(
      TextBlock.lines(of: text).flatMap { TextBlock.folded($0, width: width) },
      width: width
    )
    expectSafe(TextBlock.lastRows(of: text, count: 3, width: width), width: width)
    let styled = StyledText(block.safeLine(), .name).truncated(to: width)
    expectSafe([styled.plain], width: width)
  }
}
