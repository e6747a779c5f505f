// SPDX-License-Identifier: MIT

import Testing

@testable import CommandTable

@Suite("Suggestions")
struct SuggestionsTests {
  @Test(
    "the distance counts insertions, deletions, replacements and swaps",
    arguments: [
      ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "ab", 1),
      ("abc", "xabc", 1), ("abc", "abx", 1), ("abc", "acb", 1), ("abcd", "badc", 2),
      ("kitten", "sitting", 3), ("ca", "abc", 3),
    ]
  )
  func distance(a: String, b: String, expected: Int) {
    #expect(Suggestions.distance(Array(a), Array(b)) == expected)
    #expect(Suggestions.distance(Array(b), Array(a)) == expected)
  }

  @Test(
    "at most two of the closest names are suggested",
    arguments: [
      ("lst", ["list", "last", "lust", "x"], ["list", "last"]),
      ("statsu", ["status", "start"], ["status"]),
      ("stat", ["start", "status"], ["start", "status"]),
      ("LIST", ["list"], ["list"]),
      ("make", ["name", "take"], ["take"]),
      ("make", ["name"], []),
      ("workspcae", ["workspaces"], ["workspaces"]),
      ("x", ["list"], []),
      ("", ["a"], []),
      ("--", ["--a"], []),
      (String(repeating: "a", count: 41), [String(repeating: "a", count: 41)], []),
    ]
  )
  func closest(word: String, candidates: [String], expected: [String]) {
    #expect(Suggestions.closest(to: word, among: candidates) == expected)
  }

  @Test("a hint quotes the suggested names")
  func hint() {
    #expect(
      Suggestions.hint(for: "lst", among: ["list", "last"]) == "did you mean 'list' or 'last'?"
    )
    #expect(Suggestions.hint(for: "zzz", among: ["list"]) == nil)
  }
}
