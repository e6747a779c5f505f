// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Testing

@Suite struct SearchResultTests {
  private static func snippet(_ text: String, for query: String) throws -> [SearchResult.Piece] {
    let json: JSONValue = [
      "session": ["id": "session1", "status": "ready"], "snippet": .string(text), "rank": -1,
    ]
    return try #require(SearchResult(json: json, for: query)).snippet
  }

  @Test(
    "a snippet shows the first match, marked by the server or else here",
    arguments: [
      ("fix the <b>flaky</b> test", "flaky", "fix the [flaky] test"),
      ("fix the Flaky test", "test FLAKY", "fix the Flaky [test]"),
      ("fix", "flaky", "fix"), ("", "flaky", ""), ("a\u{1B}[2J<b>b</b>\nc", "b", "a[b] c"),
    ]
  )
  func marks(text: String, query: String, expected: String) throws {
    let pieces = try Self.snippet(text, for: query)
    #expect(pieces.map { $0.isMatch ? "[\($0.text)]" : $0.text }.joined() == expected)
  }

  @Test("a long text is cut around the first match", arguments: ["<b>word</b>", "word"])
  func cut(match: String) throws {
    let (before, after) = (String(repeating: "a", count: 9000), String(repeating: "b", count: 9000))
    let pieces = try Self.snippet(before + match + after, for: "word")
    let shown = before.suffix(60) + "word" + after.prefix(156)
    #expect(pieces.map(\.text).joined() == "…\(shown)…")
    #expect(pieces.filter(\.isMatch).map(\.text) == ["word"])
    let exact = try Self.snippet(before.suffix(60) + match + after.prefix(156), for: "word")
    #expect(exact.map(\.text).joined() == before.suffix(60) + "word" + after.prefix(156))
    let longer = try Self.snippet(before.suffix(61) + match + after.prefix(157), for: "word")
    #expect(longer == pieces)
  }
}
