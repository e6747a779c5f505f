// SPDX-License-Identifier: MIT

import OppiRendering
import Testing

@Suite("DisplayWidth")
struct DisplayWidthTests {
  @Test(
    "a text has the width that terminals give it",
    arguments: [
      ("", 0), ("abc", 3), ("●✓…▲❤⚠", 6), ("é", 1), ("e\u{301}", 1), ("ñandú", 5),
      // Emoji and East Asian text.
      ("😀", 2), ("⏳", 2), ("한", 2), ("日本語", 6), ("ｱ", 1), ("Ａ", 2), ("「」", 4), ("〈〉", 4),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("䷀", 2), ("🈁", 2), ("𠀀", 2),
      // Terminals advance by scalars, not by grapheme clusters.
      ("❤\u{FE0F}", 2), ("⌚\u{FE0F}", 2), ("❤\u{FE0E}", 1), ("1\u{FE0F}\u{20E3}", 2), ("🇩🇪", 2),
      ("👍🏽", 4), ("👩\u{200D}💻", 4),
      // Invisible characters.
      ("\u{200B}", 0), ("\u{FEFF}", 0), ("\u{202E}", 0), ("\u{7}\u{1B}\n", 0), ("soft\u{AD}ly", 7),
    ]
  )
  func width(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test(
    "a prefix fits its width and does not split a grapheme cluster",
    arguments: [
      ("abc", 2, "ab"), ("abc", 3, "abc"), ("abc", 9, "abc"), ("abc", 0, ""), ("日本", 3, "日"),
      ("日本", 1, ""), ("e\u{301}x", 1, "e\u{301}"), ("a👩\u{200D}💻b", 4, "a"), ("", 4, ""),
    ]
  )
  func prefix(text: String, width: Int, kept: String) {
    #expect(DisplayWidth.prefix(of: text, width: width) == kept)
  }
}
