// SPDX-License-Identifier: MIT

import Glibc
import OppiText
import TestSupport
import Testing

@testable import OppiTerminal

/// Properties of any Markdown.
@Suite struct MarkdownPropertyTests {
  /// Markup, complete and broken.
  private static let marks = [
    "*", "**", "***", "_", "__", "`", "``", "```", "~~~", "\n```\n", "[", "](", ")", "]", "(", "\\",
    "\\|", "|", "\n|-|-|\n", "\n--|--\n", "\n- ", "\n  - ", "\n1. ", "\n   10) ", "\n* [x] ",
    "\n- [ ] ", "\n# ", "\n> ", "> ", "\n>> ", "\n", "\n\n", "\n    ", "\n---\n", " ", "  ", "\t",
    "<", ">", "!", "://", "日本語", "e\u{301}", "👩‍💻", "ا\u{644}", "\u{202E}", "\u{1B}[31m", "\r\n",
    "\u{7}", ".", ":", "-",
  ]

  /// A random text whose words are all different.
  private func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...60, using: &random)).map { index in
      Bool.random(using: &random)
        ? Self.marks.randomElement(using: &random) ?? "" : "w\(index)"
    }
    .joined()
  }

  private func words(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil }
  }

  @Test("rows fit the width, keep all letters, and contain no control characters")
  func properties() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<5000 {
      let text = text(&random)
      let width = Int.random(in: 0...50, using: &random)
      let look = [MarkdownLook.marked, .styled].randomElement(using: &random) ?? .styled
      let rows = Markdown.rows(of: text, width: width, look: look).map(\.plain)
      #expect(rows.allSatisfy { DisplayWidth.of($0) <= max(2, width) }, "\(text.debugDescription)")
      #expect(
        hasAll(words(text.safeBlock()), of: rows, inOrder: !text.contains("|")),
        "\(text.debugDescription) \(width)"
      )
      #expect(rows.joined().unicodeScalars.allSatisfy { $0.isTypeable })
    }
  }

  /// Whether rows have all letters; in a table they may be in another order, and labels are repeated.
  private func hasAll(_ letters: [Unicode.Scalar], of rows: [String], inOrder: Bool) -> Bool {
    let shown = words(rows.joined())
    guard !inOrder else { return shown == letters }
    var counts = Dictionary(grouping: shown) { $0 }.mapValues(\.count)
    for letter in letters { counts[letter, default: 0] -= 1 }
    return counts.values.allSatisfy { $0 >= 0 }
  }

  /// Texts of a given size that are slow for a parser with backtracking or lookahead.
  private static let nasty: [@Sendable (Int) -> String] = [
    { String(repeating: "*a ", count: $0 / 3) }, { String(repeating: "**a *b ", count: $0 / 7) },
    { String(repeating: "[", count: $0) }, { String(repeating: "[a](", count: $0 / 4) },
    { (1...Int(Double($0).squareRoot())).map { String(repeating: "`", count: $0) + " " }.joined() },
    { String(repeating: "> ", count: $0 / 2) }, { String(repeating: "- ", count: $0 / 2) + "a" },
    { String(repeating: "> - ", count: 20) + String(repeating: "a ", count: $0 / 2) },
    { String(repeating: "\n", count: $0) }, { String(repeating: "- a\n\n", count: $0 / 5) },
    { String(repeating: "|", count: $0) + "\n" + String(repeating: "-|", count: $0) },
    { "a|b\n-|-\n" + String(repeating: "a|b\n", count: $0 / 4) },
    { String(repeating: "```\n", count: $0 / 4) }, { String(repeating: "a", count: $0) },
    { String(repeating: "日", count: $0 / 3) }, { String(repeating: " ", count: $0) + "a" },
    { "a" + String(repeating: "\u{301}", count: $0) },
  ]

  @Test("the output grows linearly with a repetitive text", arguments: nasty.indices)
  func size(index: Int) {
    for width in [2, 20, 100] {
      let sizes = [2000, 4000].map { size in
        Markdown.rows(of: Self.nasty[index](size), width: width).reduce(0) {
          $0 + 1 + $1.plain.utf8.count
        }
      }
      #expect(sizes[1] <= 3 * sizes[0] + 1000)
    }
  }

  @Test("the parsing time grows linearly with the text", arguments: nasty.indices)
  func length(index: Int) {
    let times = [20_000, 80_000].map { size in
      let text = Self.nasty[index](size)
      return processorTime {
        let rows = Markdown.rows(of: text, width: 80)
        #expect(words(rows.map(\.plain).joined()).count <= text.utf8.count)
      }
    }
    // The text is four times as long; a quadratic parser takes sixteen times as long.
    #expect(times[1] <= times[0] * 10 + .milliseconds(200), "\(times)")
  }
}
