// SPDX-License-Identifier: MIT

import OppiTerminal
import OppiText

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

/// Any answer can be laid out: no row is too wide or unsafe, and no letter is lost.
func fuzzMarkdown(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  // The name of a language moves to the right of its code.
  let hasFences = ["```", "~~~"].contains { text.contains($0) }
  for (width, look) in [(1, MarkdownLook.styled), (8, .marked), (30, .styled), (200, .marked)] {
    let rows = Markdown.rows(of: text, width: width, look: look).map(\.plain)
    expectSafe(rows, width: max(2, width))
    // A link whose text is its address is shown once.
    guard !text.utf8.contains(UInt8(ascii: "[")), look == .marked || !hasFences else { continue }
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

/// Keys do not depend on how the bytes are cut, and the composer accepts each key.
func fuzzKeys(_ bytes: [UInt8]) {
  expectSame(howeverCut: bytes) { pieces in
    var decoder = KeyDecoder()
    return joined(pieces.flatMap { decoder.decode($0) } + decoder.flush())
  }
  var decoder = KeyDecoder()
  var composer = Composer(history: ["first", "second\nline", ""])
  let width = 1 + Int(bytes.first ?? 0)
  for event in decoder.decode(bytes) + decoder.flush() {
    if case .mouse(let event) = event {
      precondition(min(event.row, event.column) >= 0, "a click in no cell")
    }
    guard case .key(let key) = event else { continue }
    expectSafe(key)
    _ = composer.apply(key)
    let block = composer.layout(width: width, prompt: "> ", maxRows: 5)
    expectSafe(block.lines.map(\.plain), width: width)
    guard let cursor = block.cursor else { preconditionFailure("no cursor") }
    precondition(block.lines.indices.contains(cursor.row), "a cursor in no row")
    precondition((0...width).contains(cursor.column), "a cursor in no column")
  }
}

/// Joins adjacent pieces of typed text.
private func joined(_ events: [KeyDecoder.Event]) -> [KeyDecoder.Event] {
  events.reduce(into: []) { events, event in
    if case .key(.text(let more)) = event, case .key(.text(let text)) = events.last {
      events[events.count - 1] = .key(.text(text + more))
    } else {
      events.append(event)
    }
  }
}

private func expectSafe(_ key: Key) {
  switch key {
  case .text(let text): expectSafe(text)
  case .paste(let text): expectSafe(text, alsoAllowed: ["\n", "\t"])
  default: break
  }
}
