// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport

/// Ways to deliver the bytes of a stream: whole, byte by byte, and in pieces.
///
/// The sizes of the pieces follow from the bytes, so a corpus needs no format of its own.
func cuts(of bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
  var chance = SeededGenerator(
    seed: bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
  )
  var pieces: [ArraySlice<UInt8>] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = Int.random(in: 1...16, using: &chance)
    pieces.append(rest.prefix(count))
    rest = rest.dropFirst(count)
  }
  return [[bytes[...]], bytes.indices.map { bytes[$0...$0] }, pieces]
}

/// Traps if the result depends on how the bytes are cut.
func expectSame<Result: Equatable>(
  howeverCut bytes: [UInt8],
  _ read: ([ArraySlice<UInt8>]) -> Result
) {
  let results = cuts(of: bytes).map(read)
  for result in results.dropFirst() {
    precondition(result == results[0], "cut: \(result), whole: \(results[0])")
  }
}

/// Traps if the text contains a character that controls a terminal or is invisible.
///
/// The list is independent of the product's own, which could be wrong on both sides.
func expectSafe(_ text: String, alsoAllowed: Set<Unicode.Scalar> = []) {
  let isBad = text.unicodeScalars.contains { scalar in
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F: !alsoAllowed.contains(scalar)
    // Joiners (U+200C and U+200D) control nothing.
    case 0x61C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB,
      0xE0000...0xE007F:
      true
    default: false
    }
  }
  precondition(!isBad, "not safe to show: \(text.debugDescription)")
}

/// Traps if a line is unsafe, or wider than the width and than a single character.
func expectSafe(_ lines: [String], width: Int = .max) {
  for line in lines {
    expectSafe(line)
    precondition(DisplayWidth.of(line) <= max(2, width), "wider than \(width): \(line)")
  }
}
