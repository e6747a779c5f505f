// SPDX-License-Identifier: MIT

import OppiModel

/// The width of a text in terminal columns.
///
/// Counts scalars like `wcwidth(3)`, because terminals advance by scalar, not by grapheme cluster.
/// Where terminals disagree, it is the greater width, so that no row exceeds the terminal's.
package enum DisplayWidth {
  package static func of(_ text: String) -> Int {
    var isNarrow = false
    return text.unicodeScalars.reduce(0) { width, scalar in
      // Some terminals draw the emoji form of a narrow character in two columns.
      let columns = scalar == .pictureSelector && isNarrow ? 1 : of(scalar)
      isNarrow = columns == 1 && scalar != .pictureSelector
      return width + columns
    }
  }

  /// Returns the longest prefix of a text that fits a width.
  package static func prefix(of text: String, width: Int) -> String {
    var used = 0
    var end = text.startIndex
    for index in text.indices {
      used += of(String(text[index]))
      if used > width { break }
      end = text.index(after: index)
    }
    return String(text[..<end])
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if (0x20...0x7E).contains(scalar.value) { return 1 }
    switch scalar.properties.generalCategory {
    // The soft hyphen is a format character, but terminals display it.
    case .format: return scalar.value == 0xAD ? 1 : 0
    case .nonspacingMark, .enclosingMark, .control: return 0
    default: return isJoining(scalar) ? 0 : isWide(scalar) ? 2 : 1
    }
  }

  /// Whether the scalar is a vowel or final consonant of Hangul, which joins the preceding
  /// syllable.
  private static func isJoining(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1160...0x11FF, 0xD7B0...0xD7FB: true
    default: false
    }
  }

  /// Whether the scalar is East Asian wide or full-width (UAX #11), or an emoji shown as a picture.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x16FE0...0x18D08, 0x1AFF0...0x1B2FB, 0x1F200...0x1F265,
      0x20000...0x3FFFD:
      true
    // Each half of a flag is narrow, so that the pair has the two columns of a picture.
    case 0x1F1E6...0x1F1FF: false
    default: scalar.properties.isEmojiPresentation
    }
  }
}

extension Character {
  /// The character as displayed: a tab has a fixed width.
  var cells: String { self == "\t" ? "    " : String(self) }

  var columns: Int { DisplayWidth.of(cells) }
}
