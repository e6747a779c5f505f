// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiTerminal

@Suite struct HighlighterTests {
  /// The styled parts of code, each after the letter of its style.
  private func marked(_ code: String, _ language: String) -> String {
    var highlighter = Highlighter(language)
    let signs: [Style: String] = [
      .keyword: "k", .string: "s", .number: "n", .type: "t", .comment: "c", .added: "+",
      .removed: "-", .strong: "b", .code: "$",
    ]
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let text = highlighter.spans(of: String(line))
      return text.pieces.map { piece in
        signs[piece.style].map { "\($0)[\(piece.text)]" } ?? piece.text
      }
      .joined()
    }
    return lines.joined(separator: "\n")
  }

  @Test(
    "code has the styles of its language",
    arguments: [
      ("swift", "let a: Int = 0x1F // b", "k[let] a: t[Int] = n[0x1F] c[// b]"),
      ("swift", "@State var x = \"a\\\"b\"", "k[@State] k[var] x = s[\"a\\\"b\"]"),
      ("swift", "x(#\"c\\\"#)", "x(s[#\"c\\\"#])"),
      ("swift", "/* a /* b */ c */ if", "c[/* a /* b */ c */] k[if]"),
      ("c", "#include <a.h>", "k[#include] <a.h>"),
      ("c", "int f(char c) { 'x'; }", "t[int] f(t[char] c) { s['x']; }"),
      ("cpp", "n = 1'000; q = '\\'';", "n = n[1]'n[000]; q = s['\\''];"),
      ("rust", "fn f<'a>(x: &'a str, 'b')", "k[fn] f<'a>(x: &'a t[str], s['b'])"),
      ("go", "x := `a\nb` + 1.5", "x := s[`a]\ns[b`] + n[1.5]"),
      ("py", "@a\ndef f(): f'x' # y", "k[@a]\nk[def] f(): fs['x'] c[# y]"),
      ("py", "MAX_SIZE = None", "MAX_SIZE = k[None]"),
      ("python", "x = '''a\n'b' '''; 1", "x = s['''a]\ns['b' ''']; n[1]"),
      ("ts", "const a: Foo = `x${1}`; // 'b'", "k[const] a: t[Foo] = s[`x${1}`]; c[// 'b']"),
      ("kotlin", "fun f(a: Int) = 'a'", "k[fun] f(a: t[Int]) = s['a']"),
      ("ruby", "def f = \"#{a}\" # b", "k[def] f = s[\"#{a}\"] c[# b]"),
      ("sh", "if [ $# -gt 1 ]; then", "k[if] [ $# -gt n[1] ]; k[then]"),
      ("sh", "echo 'a#b' it's # c", "k[echo] s['a#b'] it's c[# c]"),
      ("sh", "apt-get install ./done --in", "apt-get install ./done --in"),
      ("sql", "SELECT 'it' From a -- b", "k[SELECT] s['it'] k[From] a c[-- b]"),
      ("json", "{\"a\":\"b:\", \"c\": true}", "{k[\"a\"]:s[\"b:\"], k[\"c\"]: k[true]}"),
      ("yaml", "a-b: http://x:8 # c\n- d: 'e'", "k[a-b]: http://x:n[8] c[# c]\n- k[d]: s['e']"),
      ("toml", "[package]\na = \"b\" # c", "[k[package]]\nk[a] = s[\"b\"] c[# c]"),
      ("html", "<a-b c=\"d\">e'f</a-b>", "<k[a-b] t[c]=s[\"d\"]>e'f</k[a-b]>"),
      ("html", "<!-- a\n--> b", "c[<!-- a]\nc[-->] b"),
      ("css", "@media { color: 10px; /* a */ }", "k[@media] { t[color]: n[10px]; c[/* a */] }"),
      ("dockerfile", "FROM swift:6 AS build", "k[FROM] swift:n[6] k[AS] build"),
      ("make", "all: a.o # b\n    cc a.c", "k[all]: a.o c[# b]\n    cc a.c"),
      ("diff", "+++ b\n@@ -1 @@\n-x\n+y\n z", "b[+++ b]\nc[@@ -1 @@]\n-[-x]\n+[+y]\n z"),
      ("console", "$ ls\nREADME.md", "$[$ ls]\nREADME.md"),
      ("unheard", "let a = 1 // b", "let a = 1 // b"), ("", "let a", "let a"),
      ("text", "10 'files'", "10 'files'"), ("log", "# 1", "# 1"),
    ]
  )
  func languages(language: String, code: String, expected: String) {
    #expect(marked(code, language) == expected)
  }

  @Test("a string or comment of several lines stays open between them")
  func state() {
    #expect(
      marked("a = \"\"\"\nb \\\"\"\" c\n\nd\"\"\" + 1\n/*\n*/ 2", "swift")
        == "a = s[\"\"\"]\ns[b \\\"\"\" c]\n\ns[d\"\"\"] + n[1]\nc[/*]\nc[*/] n[2]"
    )
  }

  @Test("a quotation mark without a partner on its line colours nothing")
  func unclosed() {
    #expect(marked("print(\"a\nlet b", "swift") == "print(\"a\nk[let] b")
    #expect(marked("it's done", "yaml") == "it's done")
  }

  @Test("names of languages are found in any case, and each belongs to one language")
  func names() {
    #expect(Language.named("SWIFT")?.names.first == "swift")
    #expect(Language.named("") == nil)
    let names = Language.table.flatMap(\.names)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0 == $0.lowercased() })
  }

  // MARK: - Properties

  private static let parts = [
    "\"", "'", "`", "\"\"\"", "'''", "/*", "*/", "//", "#", "--", "<!--", "-->", "\\", "\\\"",
    "#\"", "\"#", "@", "<", "</", "[", ":", "=", " ", "  ", ".", "-", "1", "0x", "let", "class",
    "T", "_", "é", "日本", "e\u{301}", "\u{301}", "\u{FE0F}", "👩‍💻", "\n", "+", "$ ",
  ]

  @Test(
    "the text stays the same, and each part begins with ASCII",
    arguments: Language.table.map { $0.names[0] }
  )
  func properties(language: String) {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let text = (0..<Int.random(in: 1...40, using: &random))
        .map { _ in Self.parts.randomElement(using: &random) ?? "" }.joined()
      var highlighter = Highlighter(language)
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        let shown = highlighter.spans(of: String(line))
        #expect(Array(shown.plain.utf8) == Array(line.utf8))
        #expect(shown.pieces.dropFirst().allSatisfy { ($0.text.utf8.first ?? 0) < 0x80 })
      }
    }
  }

  /// Lines of a given size that are slow for a search that begins again.
  private static let nasty: [@Sendable (Int) -> String] = [
    { String(repeating: "\"\\", count: $0 / 2) }, { String(repeating: "'", count: $0) },
    { String(repeating: "'a ", count: $0 / 3) }, { String(repeating: "/*", count: $0 / 2) },
    { String(repeating: "#\"", count: $0 / 2) }, { String(repeating: "a ", count: $0 / 2) },
    { String(repeating: "a", count: $0) }, { "a" + String(repeating: " ", count: $0) },
    { String(repeating: "\"\"\"", count: $0 / 3) }, { String(repeating: "@", count: $0) },
    { String(repeating: "日\"", count: $0 / 4) }, { String(repeating: "1.", count: $0 / 2) },
  ]

  @Test("the time grows linearly with a line", arguments: nasty.indices)
  func length(index: Int) {
    for language in ["swift", "rust", "yaml", "html"] {
      let times = [60_000, 240_000].map { size in
        let line = Self.nasty[index](size)
        return processorTime {
          var highlighter = Highlighter(language)
          #expect(highlighter.spans(of: line).plain.utf8.count == line.utf8.count)
        }
      }
      #expect(times[1] <= times[0] * 10 + .milliseconds(200), "\(language): \(times)")
    }
  }

  @Test("10 MB of code take less than a second", .enabled(if: !isSanitized))
  func speed() throws {
    let code = """
      /// Returns the next complete line or part; `nil` if more text is needed.
      mutating func next() -> Line? {
        let start = bytes.startIndex
        if let end = bytes[(start + searched)...].firstIndex(of: Self.lineFeed), end - start <= 16_384 {
          return take(upTo: end + 1, isCut: false) // with "its" line feed
        }
        return nil
      }
      """
    let lines = code.split(separator: "\n").map(String.init)
    let rounds = 2_000_000 / code.utf8.count
    for language in ["swift", "ts", "sql", "yaml"] {
      var pieces = 0
      let time = processorTime {
        var highlighter = Highlighter(language)
        for _ in 0..<rounds {
          for line in lines { pieces += highlighter.spans(of: line).pieces.count }
        }
      }
      let rate = Double(rounds * code.utf8.count) / (time / .seconds(1)) / 1e6
      #expect(pieces > 0 && rate >= 10, "\(language): \(rate) MB/s")
    }
  }
}
