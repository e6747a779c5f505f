// SPDX-License-Identifier: MIT

import OppiText
import TestSupport
import Testing

@testable import OppiTerminal

@Suite struct DiffRowsTests {
  private func diff(_ old: String, _ new: String, firstChange: Int? = nil) -> DiffRows {
    DiffRows(LineDiff(from: old, to: new), firstChange: firstChange)
  }

  private func rows(_ old: String, _ new: String, context: Int = 1) -> [String] {
    plain(diff(old, new).near(context))
  }

  private func plain(_ rows: DiffRows, width: Int = 60) -> [String] {
    rows.rows(width: width, limit: .max).map(\.plain)
  }

  @Test("changed lines are shown with the given context")
  func differences() {
    #expect(
      rows("a\nb\nc\nd\ne\nf\ng\n", "a\nB\nc\nd\ne\nf\ng\nh\n")
        == ["  a", "− b", "+ B", "  c", "…", "  g", "+ h"]
    )
    #expect(rows("a", "a").isEmpty)
    #expect(rows("", "a\nb") == ["+ a", "+ b"])
    #expect(rows("a\n", "") == ["− a", "− "])
    #expect(rows("a\nb", "b\na", context: 0) == ["− a", "…", "+ a"])
  }

  @Test("lines are compared by their bytes")
  func bytes() {
    #expect(rows("\u{E9}", "e\u{301}") == ["− \u{E9}", "+ e\u{301}"])
    #expect(rows("a\r\n", "a\n").count == 2)
  }

  @Test("the number of the first changed line gives those of all lines")
  func numbers() {
    let numbered = diff("a\nb\nc", "a\nB\nC\nc", firstChange: 9)
    #expect(plain(numbered) == [" 8      a", " 9    − b", " 9    + B", "10    + C", "10      c"])
  }

  @Test("without a possible number, there is no column", arguments: [nil, 0, -1, 1, .max, .min])
  func noNumbers(number: Int?) {
    #expect(plain(diff("a\nb", "a\nB", firstChange: number)) == ["  a", "− b", "+ B"])
  }

  @Test("a diff with numbers is read as an agent writes it")
  func reported() throws {
    let text = [
      "     ...", "  98 a", "- 99 b", "+ 99 B", "+100 C", " 100 c", "     ...", " 205 x", "-206 ",
    ]
    let read = try #require(DiffRows(numbered: text.joined(separator: "\n")))
    #expect(
      plain(read.near(1)) == [
        " 98      a", " 99    − b", " 99    + B", "100    + C", "100      c", "       …",
        "205      x", "206    − ",
      ]
    )
  }

  @Test(
    "any other text is not taken for a diff with numbers",
    arguments: [
      "", "- note 2:\n+ note two:", "- 3 apples\n+ 4 apples", "-1 a\n+1 b\n+3 c", "-1 a\n 1 b",
      "-0 a", "-99999999999999999999 a", "-1", "*1 a", " ...\n-2 a\n...",
    ]
  )
  func otherText(text: String) {
    #expect(DiffRows(numbered: text) == nil)
  }

  @Test("a diff that an agent writes is read as the rows of its texts")
  func roundTrip() {
    var random = SeededGenerator(seed: 3)
    var wrong: [[String]] = []
    for _ in 0..<300 {
      func text(_ end: String) -> String {
        let lines = (0..<Int.random(in: 0...12, using: &random))
          .map { _ in ["a", "b", "1 c", ""].randomElement(using: &random) ?? "" }
        return (lines + [end]).joined(separator: "\n")
      }
      let diff = LineDiff(from: text("<"), to: text(">"))
      let start = Int.random(in: 1...2000, using: &random)
      var (old, new) = (start, start)
      var written: [String] = []
      for line in diff.lines {
        switch line {
        case .common(let text): written.append(" \(old) \(text)")
        case .removed(let text): written.append("-\(old) \(text)")
        case .added(let text): written.append("+\(new) \(text)")
        }
        if !line.isAdded { old += 1 }
        if !line.isRemoved { new += 1 }
      }
      let offset = diff.lines.prefix { $0.isCommon }.count
      let expected = DiffRows(diff, firstChange: start + offset)
      if DiffRows(numbered: written.joined(separator: "\n")) != expected { wrong.append(written) }
    }
    #expect(wrong.isEmpty)
  }

  @Test("a long line continues at a space below its text, with its words whole")
  func folding() {
    let diff = diff("", "  let one = two + threes", firstChange: 7)
    let rows = ["7    +   let one = two +", "     ↪ threes"]
    #expect(diff.rows(width: 24, limit: 9).map(\.plain) == rows)
    // A narrow screen has no room for numbers.
    #expect(diff.rows(width: 17, limit: 9).map(\.plain) == ["+   let one = two", "↪ + threes"])
    #expect(self.diff("", "xxxxx").rows(width: 5, limit: 9).map(\.plain) == ["+ xxx", "↪ xx"])
  }

  @Test("rows of any texts are safe, as many as the limit, and not wider than the area")
  func anyTexts() {
    var random = SeededGenerator(seed: 5)
    let parts = ["word ", "\n", "\t", "日本", "e\u{301}", "👩‍💻", "\u{1B}[31m", "\u{202E}", "xxxxxxxxx"]
    for _ in 0..<1000 {
      let texts = (0..<2).map { _ in
        (0..<Int.random(in: 0...30, using: &random))
          .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      }
      let width = Int.random(in: 4...40, using: &random)
      let limit = Int.random(in: 1...9, using: &random)
      let change = Int.random(in: 0...200, using: &random)
      let rows = diff(texts[0], texts[1], firstChange: change).near(2)
        .rows(width: width, limit: limit).map(\.plain)
      #expect(rows.count <= limit && rows.allSatisfy { DisplayWidth.of($0) <= width }, "\(rows)")
      #expect(rows.joined().unicodeScalars.allSatisfy { $0.isTypeable }, "\(texts)")
    }
  }

  @Test("rows beyond the limit are counted in lines", arguments: 2...7)
  func limit(limit: Int) {
    let diff = diff("", "a\nb\nc\nd\ne\nf")
    let rows = diff.rows(width: 20, limit: limit).map(\.plain)
    #expect(rows.count == min(6, limit))
    if limit < 6 { #expect(rows.last == "… \(6 - limit + 1) more lines") }
    let long = self.diff("", String(repeating: "word ", count: 50)).rows(width: 20, limit: limit)
    #expect(long.count == limit && long.last?.plain == "… 1 more line")
  }
}
