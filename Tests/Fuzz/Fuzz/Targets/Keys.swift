// SPDX-License-Identifier: MIT

import OppiTerminal

/// Keys do not depend on how the bytes are cut, and the composer accepts each key.
func fuzzKeys(_ bytes: [UInt8]) {
  expectSame(howeverCut: bytes) { pieces in
    var decoder = KeyDecoder()
    return joined(pieces.flatMap { decoder.decode($0) } + decoder.flush())
  }
  var decoder = KeyDecoder()
  var composer = Composer(history: ["first", "second\nline", ""])
  let width = 1 + Int(bytes.first ?? 0)
  for key in decoder.decode(bytes) + decoder.flush() {
    expectSafe(key)
    _ = composer.apply(key)
    let (lines, cursor) = composer.layout(width: width, prompt: "> ", maxRows: 5)
    expectSafe(lines.map(\.plain), width: width)
    precondition(lines.indices.contains(cursor.row), "a cursor in no row")
    precondition((0...width).contains(cursor.column), "a cursor in no column")
  }
}

/// Joins adjacent pieces of typed text.
private func joined(_ keys: [Key]) -> [Key] {
  keys.reduce(into: []) { keys, key in
    if case .text(let more) = key, case .text(let text) = keys.last {
      keys[keys.count - 1] = .text(text + more)
    } else {
      keys.append(key)
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
