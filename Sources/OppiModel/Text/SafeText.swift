// SPDX-License-Identifier: MIT

extension String {
  /// Returns the text made safe to show on one line: control sequences are dropped, line breaks and
  /// tabs become spaces, and runs of spaces become one space.
  ///
  /// Only the start of a long text is processed, even if little of it can be shown. `limit` is the
  /// maximum number of characters, at 32 bytes each on average; a cut is marked with `…`. The line
  /// is empty if nothing of the text can be shown.
  package func safeLine(limit: Int = 300) -> String {
    guard let start = start(for: limit) else { return wholeLine(limit: limit) }
    let line = start.wholeLine(limit: limit)
    // The unprocessed rest is missing too.
    return line.isEmpty || line.unicodeScalars.last == "…" ? line : (line + " …").cut(to: limit)
  }

  /// The start of a long text that is processed; `nil` for the whole text.
  private func start(for limit: Int) -> String? {
    let room = max(limit, 64).multipliedReportingOverflow(by: 2 * Self.bytesEach)
    guard !room.overflow, utf8.count > room.partialValue else { return nil }
    return head(bytes: room.partialValue)
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
    guard let start = start(for: limit) else { return wholeBlock(limit: limit) }
    let block = start.wholeBlock(limit: limit)
    return block.isEmpty || block.unicodeScalars.last == "…" ? block : (block + "…").cut(to: limit)
  }

  private func wholeBlock(limit: Int) -> String {
    (isPlain ? self : String(safeScalars(onOneLine: false))).cut(to: limit)
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
