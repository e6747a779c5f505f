// SPDX-License-Identifier: MIT

/// A text of several lines shown character by character, for what a person decides on: nothing of it
/// is dropped, folded or cut.
///
/// What would show as nothing, steer a terminal, change the order of reading or pass for a space is
/// written as its escape, such as `\u{202E}`. Tabs alone become spaces.
package struct RevealedText: Sendable, Equatable {
  /// Some characters that are shown as themselves, or one that is written as its escape.
  package enum Piece: Sendable, Equatable {
    case plain(String)
    case escape(String)

    /// What is shown.
    package var text: String {
      switch self {
      case .plain(let text), .escape(let text): text
      }
    }
  }

  /// No script draws more over one letter.
  private static let markLimit = 8
  private static let tab = "    "

  /// The lines in their pieces; at least one.
  package private(set) var lines: [[Piece]] = [[]]
  /// How many characters are written as escapes.
  package private(set) var escapeCount = 0
  private var markCount = 0
  /// What is shown as itself since the last escape or line break.
  private var run = ""

  package init(_ text: String) {
    for scalar in text.unicodeScalars { append(scalar) }
    endRun()
  }

  /// The lines as they are shown, without the pieces.
  package var plain: [String] { lines.map { $0.map(\.text).joined() } }

  /// The text on one line, each line break as `\n`.
  package var line: String { plain.joined(separator: #"\n"#) }

  private mutating func append(_ scalar: Unicode.Scalar) {
    if scalar == "\n" {
      endRun()
      lines.append([])
      markCount = 0
    } else if scalar == "\t" {
      run += Self.tab
      markCount = 0
    } else if showsAsItself(scalar) {
      run.unicodeScalars.append(scalar)
    } else {
      endRun()
      escapeCount += 1
      lines[lines.count - 1].append(.escape(Self.escape(for: scalar)))
      markCount = 0
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
    // A mark is drawn over the letter before it, where there is one.
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
