// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiTerminal

@Suite struct MarkdownStreamTests {
  private static let sample = """
    # Title

    A paragraph with **strong
    text**, `code`, 日本語 and 👨‍👩‍👧 e\u{301}.

    - one
      - inner
    - [x] done

      more
    > quoted
    > - item

    | a | b |
    |---|--:|
    | 1 | ~~2~~ |

    ```swift
    let a = 1

    let b = "x\ty"
    ```
    end [link](https://a.example/x)
    """

  /// The finished rows after each piece, and after the end.
  private func rows(of pieces: [String], width: Int = 40) -> [String] {
    var stream = MarkdownStream(width: width)
    let rows = pieces.flatMap { stream.append($0) }
    return (rows + stream.flush()).map(\.plain)
  }

  private func live(_ text: String, width: Int = 40, rows: Int = 20) -> [String] {
    var stream = MarkdownStream(width: width)
    _ = stream.append(text)
    return stream.live(rows: rows).map(\.plain)
  }

  private func finished(_ text: String) -> [String] {
    var stream = MarkdownStream(width: 40)
    return stream.append(text).map(\.plain)
  }

  // MARK: - Pieces

  @Test("a text gives the same rows however it is split in two", arguments: ["\n", "\r\n", "\r"])
  func twoPieces(end: String) {
    let text = Self.sample.replacing("\n", with: end)
    let whole = Markdown.rows(of: text, width: 40).map(\.plain)
    let scalars = Array(text.unicodeScalars)
    for index in 0...scalars.count {
      let pieces = [scalars[..<index], scalars[index...]].map { part in
        String(String.UnicodeScalarView(part))
      }
      #expect(rows(of: pieces) == whole, "split at \(index)")
    }
  }

  @Test("text of any script is kept whole, in any pieces", arguments: [3, 8, 20, 200])
  func scripts(width: Int) {
    let words = [
      "שלום", "עולם", "مرحبا", "می\u{200C}خواهم", "日本語", "한국어", "👨‍👩‍👧", "🇩🇪", "👍🏽", "e\u{301}",
      "क्षि",
    ]
    let text = words.joined(separator: " ")
    let pieces = text.unicodeScalars.map { String($0) }
    let rows = rows(of: pieces, width: width)
    #expect(rows == Markdown.rows(of: text, width: width).map(\.plain))
    #expect(rows.allSatisfy { DisplayWidth.of($0) <= width })
    #expect(rows.joined().filter { $0 != " " } == words.joined())
    guard width >= 20 else { return }
    // Text can be cut between wide characters.
    for word in words where word.allSatisfy({ DisplayWidth.of(String($0)) == 1 }) {
      #expect(rows.contains { $0.contains(word) }, "\(word)")
    }
  }

  @Test("a text gives the same rows scalar by scalar")
  func scalars() {
    let pieces = Self.sample.unicodeScalars.map { String($0) }
    #expect(rows(of: pieces) == Markdown.rows(of: Self.sample, width: 40).map(\.plain))
  }

  @Test("random Markdown gives the same rows in random pieces")
  func randomPieces() {
    var random = SeededGenerator(seed: 3)
    let marks = [
      "*", "**", "~~", "`", "\n```\n", "\n- ", "\n  - ", "\n1. ", "\n> ", "\n# ", "\n\n", "\n", " ",
      "|", "\n|-|-|\n", "\na|b\n-|-\n", "[a](http://b.c)", "\r\n", "\r", "\t", "日本", "e\u{301}",
      "👩‍💻", "\u{1B}[31m", "    ", "---", "\n```swift\n", "\n~~~ x y\n", "\n- ```c\n", "/*", "\"\"\"",
    ]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 1...50, using: &random)).map { index in
        Bool.random(using: &random)
          ? "w\(index)" : marks.randomElement(using: &random) ?? ""
      }
      .joined()
      var rest = Array(text.unicodeScalars)[...]
      var pieces: [String] = []
      while !rest.isEmpty {
        let count = Int.random(in: 1...9, using: &random)
        pieces.append(String(String.UnicodeScalarView(rest.prefix(count))))
        rest = rest.dropFirst(count)
      }
      let width = Int.random(in: 2...50, using: &random)
      let whole = Markdown.rows(of: text, width: width).map(\.plain)
      #expect(rows(of: pieces, width: width) == whole, "\(text.debugDescription)")
    }
  }

  // MARK: - Blocks

  @Test("a block is finished when the next line shows it")
  func blocks() {
    #expect(finished("# a\n") == ["a"])
    #expect(finished("one\ntwo") == [])
    #expect(finished("one\n\n") == ["one"])
    #expect(finished("one\n# b\n") == ["one", "b"])
    #expect(finished("```\nx\n```\n") == ["  x"])
    #expect(finished("> a\n\n") == ["│ a"])
    #expect(finished("a\n\n\nb\n\n") == ["a", "", "b"])
  }

  @Test("an unfinished list, table or fence stays live")
  func unfinished() {
    #expect(finished("- a\n- b\n\n") == [])
    #expect(finished("- a\n- b\n\nc") == [])
    #expect(finished("- a\n- b\n\nc\n") == ["• a", "• b"])
    #expect(finished("a|b\n-|-\n1|2\n") == [])
    #expect(finished("a|b\n-|-\n1|2\n\n").count == 3)
    #expect(finished("```\nx\n") == [])
    #expect(live("before\n\n- a\n- **b**\n  c") == ["", "• a", "• b", "  c"])
    #expect(live("```\nx") == ["  x"])
    #expect(live("a|b\n-|-\n1|2").count == 3)
    #expect(live("done\n\n") == [])
  }

  @Test("only the last live rows are returned")
  func liveRows() {
    #expect(live("- 1\n- 2\n- 3", rows: 2) == ["• 2", "• 3"])
    #expect(live("- 1", rows: 0) == [])
  }

  @Test("a long block is written in parts", arguments: ["```", "- x", "> x", "a|b\n-|-"])
  func longBlock(opening: String) {
    var stream = MarkdownStream(width: 40)
    var written = stream.append(opening + "\n").count
    var most = 0
    let line = opening.hasPrefix("a") ? "1|2" : opening.hasPrefix("`") ? "x" : opening
    for index in 0..<10_000 {
      written += stream.append(line + "\n").count
      if index < 300 || index % 49 == 0 { most = max(most, stream.live(rows: .max).count) }
    }
    #expect(written > 9800)
    #expect(most <= 150)
  }

  @Test("a line or paragraph without end is written in parts, without losing a character")
  func endlessLine() {
    for unit in ["word ", "語", "e\u{301}", "👨‍👩‍👧", "x"] {
      let text = String(repeating: unit, count: 100_000 / unit.utf8.count)
      var stream = MarkdownStream(width: 40)
      let early = stream.append(text)
      #expect(!early.isEmpty)
      let all = (early + stream.flush()).map(\.plain).joined()
      #expect(all.replacing(" ", with: "") == text.replacing(" ", with: ""))
      #expect(rows(of: text.map(String.init)) == rows(of: [text]))
    }
  }

  @Test("every complete line is returned or among the live rows")
  func visible() {
    for opening in ["```\n", "", "> "] {
      var stream = MarkdownStream(width: 40)
      var written = stream.append(opening)
      let start = opening.isEmpty ? "- item " : opening.hasPrefix(">") ? "> " : ""
      for index in 0..<30 {
        written += stream.append("\(start)\(index)\n")
        let shown = (written + stream.live(rows: 7)).map(\.plain)
        #expect(shown.count { $0.hasSuffix("\(index)") } >= 1, "\(shown)")
        guard !opening.hasPrefix(">") else { continue }
        #expect(shown.count >= index + 1, "\(shown)")
      }
    }
  }

  @Test("the time of an answer with live rows grows linearly", arguments: ["- ", "> ", "", "|"])
  func length(start: String) {
    let times = [40_000, 160_000].map { size in
      let line = "\(start)some **words** of an answer with `code`\n\(start.isEmpty ? "\n" : "")"
      let text = Array(String(repeating: line, count: size / line.utf8.count).utf8)
      return processorTime {
        var stream = MarkdownStream(width: 80)
        for index in stride(from: 0, to: text.count, by: 100) {
          let end = min(index + 100, text.count)
          _ = stream.append(String(decoding: text[index..<end], as: UTF8.self))
          // Frames are drawn less often than pieces arrive.
          if index % 2000 == 0 { #expect(stream.live(rows: 8).count <= 8) }
        }
        _ = stream.flush()
      }
    }
    #expect(times[1] <= times[0] * 10 + .milliseconds(200), "\(times)")
  }

  // MARK: - The final text

  @Test("a final text that goes on from the returned rows repeats nothing")
  func completed() {
    var stream = MarkdownStream(width: 40)
    #expect(stream.append("one\n\ntwo\n\nthr").map(\.plain) == ["one", "", "two"])
    let (rows, differs) = stream.replace(with: "one\n\ntwo\n\nfour\n\nfive")
    #expect(!differs)
    #expect((rows + stream.flush()).map(\.plain) == ["", "four", "", "five"])
  }

  @Test("a final text that differs from the returned rows begins again")
  func corrected() {
    var stream = MarkdownStream(width: 40)
    _ = stream.append("one\n\ntwo\n\n")
    let (rows, differs) = stream.replace(with: "uno\n\ntwo")
    #expect(differs)
    #expect((rows + stream.flush()).map(\.plain) == ["uno", "", "two"])
  }

  @Test("a final text may be shorter than the returned rows, or differ only in what is live")
  func shorter() {
    var stream = MarkdownStream(width: 40)
    _ = stream.append("one\n\ntwo\n\n")
    #expect(stream.replace(with: "one").differs)
    var other = MarkdownStream(width: 40)
    _ = other.append("- live")
    #expect(!other.replace(with: "other").differs)
    #expect(other.flush().map(\.plain) == ["other"])
  }

  @Test("the final text repeats nothing wherever the returned part ends")
  func everyPrefix() {
    let whole = Markdown.rows(of: Self.sample, width: 40).map(\.plain)
    for count in 0...Self.sample.count {
      var stream = MarkdownStream(width: 40)
      let first = stream.append(String(Self.sample.prefix(count)) + "?")
      let (rows, differs) = stream.replace(with: Self.sample)
      guard !differs else { continue }
      #expect((first + rows + stream.flush()).map(\.plain) == whole, "after \(count)")
    }
  }

  @Test("text after a flush begins another block")
  func flushed() {
    var stream = MarkdownStream(width: 40)
    _ = stream.append("one **two")
    #expect(stream.flush().map(\.plain) == ["one **two"])
    #expect(stream.append("three**\n\n").map(\.plain) == ["three**"])
    #expect(stream.isEmpty)
  }

  @Test("the width applies to the rows that are not returned yet")
  func resized() {
    var stream = MarkdownStream(width: 40)
    _ = stream.append("- one two three four")
    stream.width = 16
    #expect(stream.live(rows: 9).map(\.plain) == ["• one two three", "  four"])
    #expect(stream.flush().map(\.plain) == ["• one two three", "  four"])
  }
}
