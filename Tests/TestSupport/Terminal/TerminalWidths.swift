// SPDX-License-Identifier: MIT

import Foundation

/// The columns in which a terminal draws characters: any choice among those of known terminals.
package struct TerminalWidths: Sendable {
  /// What the known tables say of a scalar.
  package struct Facts: Sendable, Equatable {
    /// The least width in any terminal.
    package var least = 1
    /// The greatest width over all versions of Unicode, the East Asian ambiguous ones being narrow.
    package var usual = 1
    /// The greatest width in any terminal.
    package var most = 1
    /// Its emoji form may be wide.
    package var hasWideForm = false
  }

  /// Of all scalars, by value; empty if the file cannot be read.
  package static let facts: [Facts] = read()

  private let choose: @Sendable (Unicode.Scalar, ClosedRange<Int>) -> Int

  /// Draws each character in the fewest columns, or in the most.
  package static let least = TerminalWidths { $1.lowerBound }
  package static let greatest = TerminalWidths { $1.upperBound }

  /// Draws each character in any of its widths, always the same.
  package static func random(seed: UInt64) -> TerminalWidths {
    TerminalWidths { scalar, widths in
      var random = SeededGenerator(seed: seed << 21 | UInt64(scalar.value))
      return Int.random(in: widths, using: &random)
    }
  }

  /// The scalars of a text with their columns, without those of controls.
  package func of(_ text: String) -> [(text: String, columns: Int)] {
    var widths: [(text: String, columns: Int)] = []
    var mayWiden = false
    for scalar in text.unicodeScalars {
      let facts = Self.facts[Int(scalar.value)]
      let isSelector = scalar == "\u{FE0F}"
      let range = isSelector ? 0...(mayWiden ? 1 : 0) : facts.least...facts.most
      widths.append((String(scalar), choose(scalar, range)))
      mayWiden = !isSelector && facts.hasWideForm && widths.last?.columns == 1
    }
    return widths
  }

  package func columns(of text: String) -> Int { of(text).reduce(0) { $0 + $1.columns } }

  private static func read() -> [Facts] {
    let file = URL.package.appending(path: "Tests/OppiTerminalTests/Widths/widths.txt")
    var all = Array(repeating: Facts(), count: 0x110000)
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ")
      let ends = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      guard let least = Int(fields[1]), let usual = Int(fields[2]), ends.count == 2 else {
        return []
      }
      let marks = fields.dropFirst(3).first ?? ""
      let isWide = marks.contains("t") || usual > 0 && marks.contains("a")
      let facts = Facts(
        least: least,
        usual: usual,
        most: isWide ? 2 : usual,
        hasWideForm: marks.contains("e")
      )
      for value in ends[0]...ends[1] { all[value] = facts }
    }
    for value in Array(0..<0x20) + Array(0x7F..<0xA0) {
      all[value] = Facts(least: 0, usual: 0, most: 0)
    }
    // Vowels and final consonants of Hangul join the syllable before them, but not everywhere.
    for value in Array(0x1160...0x11FF) + Array(0xD7B0...0xD7FB) {
      all[value] = Facts(least: 0, usual: 0, most: 1)
    }
    return all
  }
}
