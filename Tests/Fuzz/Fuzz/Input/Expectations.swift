// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

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

/// Traps if a line is unsafe or wider than the width.
func expectSafe(_ lines: [String], width: Int = .max) {
  for line in lines {
    expectSafe(line)
    precondition(DisplayWidth.of(line) <= width, "wider than \(width): \(line)")
  }
}
