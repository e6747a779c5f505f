// SPDX-License-Identifier: MIT

extension String {
  /// Returns the text made safe to show on one line: control sequences are dropped, line breaks and
  /// tabs become spaces, and runs of spaces become one space.
  ///
  /// Only the start of a long text is processed, even if little of it can be shown. `limit` is the
  /// maximum number of characters, at 32 bytes each on average; a cut is marked with `…`. The line
  /// is empty if nothing of the text can be shown.
  package func safeLine(limit: Int = 300) -> String {
    safe(limit, mark: " …") { $0.wholeLine(limit: limit) }
  }

  /// Processes the text, or the start of a long one, whose end is marked.
  private func safe(_ limit: Int, mark: String, _ whole: (String) -> String) -> String {
    let room = max(limit, 64).multipliedReportingOverflow(by: 2 * Self.bytesEach)
    guard !room.overflow, utf8.count > room.partialValue else { return whole(self) }
    let start = whole(head(bytes: room.partialValue))
    // The unprocessed rest is missing too.
    let isMarked = start.isEmpty || start.unicodeScalars.last == "…"
    return isMarked ? start : (start + mark).cut(to: limit)
  }

  private func wholeLine(limit: Int) -> String {
    if utf8.count <= limit, isSafeLine { return self }
    var line = ""
    for scalar in safeScalars(onOneLine: true) {
      if scalar.properties.isWhitespace {
        if !line.isEmpty, line.utf8.last != UInt8(ascii: " ") { line.append(" ") }
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
    if line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
    return line.cut(to: limit)
  }

  /// The average size that a character may have, in bytes.
  private static let bytesEach = 32

  /// Cuts the sanitised text at the limit, also in bytes: joined emoji, vowel signs and leading
  /// consonants can make one character of any length.
  private func cut(to limit: Int) -> String {
    let bytesEach = Self.bytesEach
    let (most, isBoundless) = limit.multipliedReportingOverflow(by: bytesEach)
    // Every character has at least one byte.
    guard !isBoundless, utf8.count > limit, utf8.count > most || count > limit else { return self }
    let room = max(0, limit - 1)
    var head = String(prefix(room)).head(bytes: room * bytesEach)
    // The character that it joined is cut off.
    while let last = head.unicodeScalars.last, last == .joiner || last == .nonJoiner {
      head.unicodeScalars.removeLast()
    }
    return head + "…"
  }

  /// Returns the text made safe to show on several lines, like ``safeLine(limit:)``, but keeps line
  /// feeds, tabs and runs of spaces; without a limit, nothing is cut.
  package func safeBlock(limit: Int = .max) -> String {
    safe(limit, mark: "…") { String($0.safeScalars(onOneLine: false)).cut(to: limit) }
  }

  /// Whether it is only printable ASCII, line feeds and tabs, the usual case.
  private var isPlain: Bool {
    utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x09 }
  }

  /// Whether it is printable ASCII with single spaces between words.
  private var isSafeLine: Bool {
    var last = UInt8(ascii: " ")
    for byte in utf8 {
      guard (0x20...0x7E).contains(byte), byte != 0x20 || last != 0x20 else { return false }
      last = byte
    }
    return isEmpty || last != UInt8(ascii: " ")
  }

  private func safeScalars(onOneLine isLine: Bool) -> String.UnicodeScalarView {
    guard !isPlain else { return unicodeScalars }
    var sanitizer = TextSanitizer(isLine: isLine)
    for scalar in unicodeScalars { sanitizer.read(scalar) }
    return sanitizer.kept
  }
}

/// Keeps the visible characters of a text.
private struct TextSanitizer {
  /// No script puts more marks on one letter.
  private static let markLimit = 8

  /// Whether a carriage return separates words.
  let isLine: Bool
  private(set) var kept = String.UnicodeScalarView()
  private var sequence = ControlSequence.none
  private var markCount = 0
  /// A joiner that is kept if the next character can be joined.
  private var joiner: Unicode.Scalar?

  init(isLine: Bool) { self.isLine = isLine }

  mutating func read(_ scalar: Unicode.Scalar) {
    guard !sequence.consumes(scalar) else { return }
    switch scalar {
    case "\n", "\t", " ": keep(scalar)
    case "\r" where isLine: keep(" ")
    case .joiner, .nonJoiner: joiner = mayJoin(scalar) ? scalar : nil
    case .pictureSelector: if kept.last?.isPicture == true { kept.append(scalar) }
    case _ where !scalar.isPrintable: break
    case _ where scalar.isMark:
      markCount += 1
      if markCount <= Self.markLimit { keep(scalar, isMark: true) }
    default: keep(scalar)
    }
  }

  private mutating func keep(_ scalar: Unicode.Scalar, isMark: Bool = false) {
    if let joiner, joins(scalar) { kept.append(joiner) }
    joiner = nil
    if !isMark { markCount = 0 }
    kept.append(scalar)
  }

  /// Whether the joiner may follow the last kept character.
  private func mayJoin(_ scalar: Unicode.Scalar) -> Bool {
    guard let last = kept.last else { return false }
    if last.isOfJoiningScript { return true }
    return scalar == .joiner && (last.isPicture || last == .pictureSelector)
  }

  /// Whether the next character is of the same kind as the one before the joiner.
  private func joins(_ scalar: Unicode.Scalar) -> Bool {
    kept.last?.isOfJoiningScript == true ? scalar.isOfJoiningScript : scalar.isPicture
  }
}

/// The state of a scanner for ECMA-48 control sequences.
enum ControlSequence {
  case none
  case escape
  /// After CSI: parameters until a final byte `@`…`~`.
  case parameters
  /// After OSC, DCS, APC, PM or SOS: text until BEL, ST or the end of the line.
  ///
  /// Valid ones contain no line break, and an unterminated one must not swallow the rest.
  case string

  mutating func consumes(_ scalar: Unicode.Scalar) -> Bool {
    switch (self, scalar) {
    case (_, "\u{1B}"): self = .escape
    case (_, "\u{9B}"): self = .parameters
    case (_, "\u{90}"), (_, "\u{98}"), (_, "\u{9D}"), (_, "\u{9E}"), (_, "\u{9F}"): self = .string
    case (.none, _): return false
    case (_, "\n"), (_, "\r"):
      self = .none
      return false
    case (.escape, "["): self = .parameters
    case (.escape, "]"), (.escape, "P"), (.escape, "X"), (.escape, "^"), (.escape, "_"):
      self = .string
    case (.escape, " "..."/"): break
    case (.escape, _): self = .none
    case (.parameters, "@"..."~"): self = .none
    case (.string, "\u{07}"), (.string, "\u{9C}"): self = .none
    default: break
    }
    return true
  }
}

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
  package var isPicture: Bool {
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
