// SPDX-License-Identifier: MIT

extension Unicode.Scalar {
  /// Whether the scalar is visible and cannot control a terminal, a bar or the reading order.
  ///
  /// False for controls (C0, DEL, C1), format characters (bidi marks, zero-width ones, tags), line
  /// and paragraph separators, private use, surrogates, unassigned code points, and for invisible
  /// letters and marks.
  package var isPrintable: Bool {
    if (0x20...0x7E).contains(value) { return true }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
      .unassigned:
      return false
    default: return !isBlank
    }
  }

  /// Hangul fillers, the Braille blank, the grapheme joiner, unwritten Khmer vowels, and variation
  /// selectors, all of which are invisible in a name.
  private var isBlank: Bool {
    switch value {
    case 0x115F...0x1160, 0x3164, 0xFFA0, 0x2800, 0x034F, 0x17B4...0x17B5, 0x180B...0x180F,
      0xFE00...0xFE0F, 0xE0100...0xE01EF:
      true
    default: false
    }
  }

  /// Whether it is drawn over the character before it.
  var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }

  // MARK: - Joiners

  static let joiner: Unicode.Scalar = "\u{200D}"
  static let nonJoiner: Unicode.Scalar = "\u{200C}"
  /// Selects the emoji form of a character.
  static let pictureSelector: Unicode.Scalar = "\u{FE0F}"

  /// Whether it may be typed: a printable character or a joiner.
  package var isTypeable: Bool {
    isPrintable || [Self.joiner, Self.nonJoiner, Self.pictureSelector].contains(self)
  }

  /// Whether it may be part of a joined emoji.
  var isPicture: Bool {
    value > 0xFF && (properties.isEmoji || properties.isEmojiModifier)
  }

  /// Whether its script uses joiners in words: Arabic, Syriac, Mongolian, and scripts of India.
  var isOfJoiningScript: Bool {
    switch value {
    case 0x0600...0x07BF, 0x0840...0x0DFF, 0x0F00...0x109F, 0x1780...0x18AF, 0xA840...0xA8FF,
      0xFB50...0xFDFF, 0xFE70...0xFEFC:
      true
    default: false
    }
  }
}
