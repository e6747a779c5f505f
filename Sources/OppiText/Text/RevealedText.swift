// SPDX-License-Identifier: MIT

/// A text of several lines shown character by character, for decisions: nothing is dropped, folded
/// or cut.
///
/// Characters that are invisible, control a terminal, change the reading order or look like a space
/// are written as escapes, such as `\u{202E}`. Only tabs become spaces.
///
/// What belongs to an emoji by the standard is not hidden: a variation selector directly after a
/// character that takes one, and a joiner between two pictures (UTS #51, ED-16).
package struct RevealedText: Sendable, Equatable {
  /// Characters that are shown as they are, or one that is written as an escape.
  package enum Piece: Sendable, Equatable {
    case plain(String)
    case escape(String)

    package var text: String {
      switch self {
      case .plain(let text), .escape(let text): text
      }
    }
  }

  /// No script puts more marks on one letter.
  private static let markLimit = 8
  private static let tab = "    "

  /// The pieces of each line; at least one line.
  package private(set) var lines: [[Piece]] = [[]]
  /// The number of characters written as escapes.
  package private(set) var escapeCount = 0
  private var markCount = 0
  /// Whether a joiner may follow: the text so far ends with a picture.
  private var endsWithPicture = false
  /// Whether a joiner waits for the second picture.
  private var hasJoiner = false
  /// The plain text since the last escape or line break.
  private var run = ""

  package init(_ text: String) {
    for scalar in text.unicodeScalars {
      endJoiner(before: scalar)
      append(scalar)
    }
    endJoiner(before: nil)
    endRun()
  }

  package var plain: [String] { lines.map { $0.map(\.text).joined() } }

  /// The text on one line, with each line break as `\n`.
  package var line: String { plain.joined(separator: #"\n"#) }

  private mutating func append(_ scalar: Unicode.Scalar) {
    let wasPicture = endsWithPicture
    endsWithPicture = false
    if scalar == "\n" {
      endRun()
      lines.append([])
      markCount = 0
    } else if scalar == "\t" {
      run += Self.tab
      markCount = 0
    } else if scalar == .joiner, wasPicture {
      hasJoiner = true
    } else if scalar == .pictureSelector || scalar == .textSelector,
      run.unicodeScalars.last?.takesSelector == true
    {
      run.unicodeScalars.append(scalar)
      endsWithPicture = wasPicture && scalar == .pictureSelector
    } else if showsAsItself(scalar) {
      run.unicodeScalars.append(scalar)
      endsWithPicture = scalar.isPicture
    } else {
      appendEscape(of: scalar)
    }
  }

  private mutating func appendEscape(of scalar: Unicode.Scalar) {
    endRun()
    escapeCount += 1
    lines[lines.count - 1].append(.escape(Self.escape(for: scalar)))
    markCount = 0
  }

  /// Shows a waiting joiner as part of an emoji if a picture follows, and as an escape otherwise.
  private mutating func endJoiner(before next: Unicode.Scalar?) {
    guard hasJoiner else { return }
    hasJoiner = false
    if let next, next.isPicture, !next.properties.isEmojiModifier {
      run.unicodeScalars.append(.joiner)
    } else {
      appendEscape(of: .joiner)
    }
  }

  private mutating func endRun() {
    if !run.isEmpty { lines[lines.count - 1].append(.plain(run)) }
    run = ""
  }

  private mutating func showsAsItself(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.isPrintable else { return false }
    if scalar.properties.generalCategory == .spaceSeparator { return scalar == " " }
    guard scalar.isMark else {
      markCount = 0
      return true
    }
    // A mark needs a letter before it.
    guard !run.isEmpty else { return false }
    markCount += 1
    return markCount <= Self.markLimit
  }

  private static func escape(for scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\r": #"\r"#
    default: #"\u{"# + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }
}
