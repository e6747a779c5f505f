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

  // MARK: - Joiners and selectors

  static let joiner: Unicode.Scalar = "\u{200D}"
  static let nonJoiner: Unicode.Scalar = "\u{200C}"
  /// Selects the emoji form of a character.
  package static let pictureSelector: Unicode.Scalar = "\u{FE0F}"
  /// Selects the text form of a character.
  static let textSelector: Unicode.Scalar = "\u{FE0E}"

  /// Whether it may be typed: a printable character or a joiner.
  package var isTypeable: Bool {
    isPrintable || [Self.joiner, Self.nonJoiner, Self.pictureSelector].contains(self)
  }

  /// Whether it may be part of a joined emoji.
  ///
  /// The letters of flags are joined by no sequence.
  var isPicture: Bool {
    value > 0xFF && !(0x1F1E6...0x1F1FF).contains(value)
      && (properties.isEmoji || properties.isEmojiModifier)
  }

  /// Whether a selector after it chooses between its text form and its emoji form.
  ///
  /// Exactly the 371 characters of `emoji-variation-sequences.txt` of Unicode 16.0. The standard
  /// library has no property for it, but knows most of them: every emoji that is text by default,
  /// and every emoji of the basic plane.
  package var takesSelector: Bool {
    guard properties.isEmoji else { return false }
    return value <= 0xFFFF || !properties.isEmojiPresentation
      || Self.withTextForm.contains { $0.contains(value) }
  }

  /// The emoji beyond the basic plane that are pictures by default and have a text form.
  private static let withTextForm: [ClosedRange<UInt32>] = [
    0x1F004...0x1F004, 0x1F21A...0x1F21A, 0x1F22F...0x1F22F, 0x1F30D...0x1F30F, 0x1F315...0x1F315,
    0x1F31C...0x1F31C, 0x1F378...0x1F378, 0x1F393...0x1F393, 0x1F3A7...0x1F3A7, 0x1F3AC...0x1F3AE,
    0x1F3C2...0x1F3C2, 0x1F3C4...0x1F3C4, 0x1F3C6...0x1F3C6, 0x1F3CA...0x1F3CA, 0x1F3E0...0x1F3E0,
    0x1F3ED...0x1F3ED, 0x1F408...0x1F408, 0x1F415...0x1F415, 0x1F41F...0x1F41F, 0x1F426...0x1F426,
    0x1F442...0x1F442, 0x1F446...0x1F449, 0x1F44D...0x1F44E, 0x1F453...0x1F453, 0x1F46A...0x1F46A,
    0x1F47D...0x1F47D, 0x1F4A3...0x1F4A3, 0x1F4B0...0x1F4B0, 0x1F4B3...0x1F4B3, 0x1F4BB...0x1F4BB,
    0x1F4BF...0x1F4BF, 0x1F4CB...0x1F4CB, 0x1F4DA...0x1F4DA, 0x1F4DF...0x1F4DF, 0x1F4E4...0x1F4E6,
    0x1F4EA...0x1F4ED, 0x1F4F7...0x1F4F7, 0x1F4F9...0x1F4FB, 0x1F508...0x1F508, 0x1F50D...0x1F50D,
    0x1F512...0x1F513, 0x1F550...0x1F567, 0x1F610...0x1F610, 0x1F687...0x1F687, 0x1F68D...0x1F68D,
    0x1F691...0x1F691, 0x1F694...0x1F694, 0x1F698...0x1F698, 0x1F6AD...0x1F6AD, 0x1F6B2...0x1F6B2,
    0x1F6B9...0x1F6BA, 0x1F6BC...0x1F6BC,
  ]

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
