// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText

@Suite struct BoundsTests {
  @Test("a truncated answer is recognized by its size")
  func cutAnswer() {
    let limit = Turn.textLimit
    #expect(Turn.isCut(String(repeating: "a", count: limit)))
    #expect(!Turn.isCut(String(repeating: "a", count: limit - 100)))
  }

  @Test("prefixes and suffixes are cut between characters", arguments: 0...12)
  func cuts(limit: Int) {
    let text = "aé日😀z"
    #expect(text.head(bytes: limit).utf8.count <= limit)
    #expect(text.tail(bytes: limit).utf8.count <= limit)
    #expect(text.hasPrefix(text.head(bytes: limit)))
    #expect(text.hasSuffix(text.tail(bytes: limit)))
    #expect(text.utf8.count == 11)
    if limit >= 11 { #expect(text.head(bytes: limit) == text) }
  }

  @Test("a negative limit gives an empty text")
  func negative() {
    #expect("abc".head(bytes: -1).isEmpty)
    #expect("abc".tail(bytes: -1).isEmpty)
  }

  @Test("JSON is cut at the byte limit, with the same result each time")
  func json() {
    let long = JSONValue.string(String(repeating: "x", count: 1000))
    let value: JSONValue = ["a": long, "b": [long, long], "c": 3]
    let bounded = value.bounded(bytes: 1500)
    #expect(bounded["a"] == long)
    #expect(bounded["b"].array?.count == 1)
    #expect(bounded["c"] == .null)
    #expect(bounded == value.bounded(bytes: 1500))
    #expect(value.bounded(bytes: 10_000) == value)
  }
}
