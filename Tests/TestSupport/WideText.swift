// SPDX-License-Identifier: MIT

/// Texts with characters that are wider than a row, or wider than the sum of their scalars.
package enum WideText {
  private static let parts = [
    // Each is one character: a joined emoji, leading consonants, a joined emoji with selectors, and
    // consonants with viramas.
    Array(repeating: "👨", count: 61).joined(separator: "\u{200D}"),
    String(repeating: "\u{1100}", count: 45),
    Array(repeating: "☠\u{FE0F}", count: 50).joined(separator: "\u{200D}"),
    String(repeating: "\u{915}\u{94D}", count: 60),
    "e" + String(repeating: "\u{301}", count: 8), "가" + String(repeating: "\u{11A8}", count: 30),
    "\u{1112}\u{1161}\u{11AB}", "👍🏽", "🇩🇪🇫🇷", "1\u{FE0F}\u{20E3}", "❤\u{FE0E}", "☠\u{FE0F}", "日本語",
    // Of uncertain width: by version of Unicode, by the table of a terminal, and by selectors.
    "☰☷⚊⚏", "\u{1D300}\u{1D356}\u{1D360}\u{1D376}", "\u{1F1E9}", "🇩🇪\u{1F1EB}",
    "\u{1F1E9}\u{200D}\u{1F1EA}",
    "⚠\u{FE0F}", "⚠\u{FE0E}", "⌚\u{FE0E}", "#\u{FE0F}", "x\u{FE0F}", "🫩\u{1F6D8}", "Привет, мир",
    "“…” — ½",
    "┌─┐│▸", "\u{1161}\u{11A8}", "\u{D7B0}\u{D7CB}", "x\u{1ACF}\u{8D2}", "\u{3FFFD}\u{E001}",
    "\u{17A4}\u{17D8}",
    "\u{D4E} x", "a\tb", " ", "   ", "; rm -rf x", "word", "\"",
  ]

  /// Returns a random text in pieces; none begins with a mark or a selector.
  package static func pieces(_ random: inout SeededGenerator) -> [String] {
    (0..<Int.random(in: 1...8, using: &random)).map { _ in
      parts.randomElement(using: &random) ?? ""
    }
  }
}
