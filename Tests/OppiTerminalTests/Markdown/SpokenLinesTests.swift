// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiTerminal

/// The lines of messages for listeners.
@Suite struct SpokenLinesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: [String]
    let lines: [String]

    init(_ name: String, _ text: [String], _ lines: [String]) {
      (testDescription, self.text, self.lines) = (name, text, lines)
    }
  }

  @Test(
    "tables become records, and everything else stays as it is written",
    arguments: [
      Case("text", ["# One", "", "- two", "a | b"], ["# One", "- two", "a | b"]),
      Case(
        "a table",
        ["Both:", "| A | B |", "|---|--:|", "| 1 | 2 |", "| 3 | |", "after"],
        ["Both:", "A: 1", "B: 2", "", "A: 3", "B: ", "after"]
      ),
      Case("cells without a label", ["a|b", "-|-", "1|2|3"], ["a: 1", "b: 2", "3"]),
      Case("a bar in a cell", ["a|b", "-|-", "`1\\|2`|3"], ["a: `1\\|2`", "b: 3"]),
      Case("only a head", ["a|b", "-|-", "", "end"], ["a", "b", "end"]),
      Case(
        "two tables",
        ["a|b", "-|-", "1|2", "", "c|d", "-|-", "3|4"],
        ["a: 1", "b: 2", "c: 3", "d: 4"]
      ),
      Case("a row before the head", ["x|y", "a|b", "-|-", "1|2"], ["x|y", "a: 1", "b: 2"]),
      Case("another number of columns", ["a|b", "-|-|-", "1|2"], ["a|b", "-|-|-", "1|2"]),
      Case(
        "code",
        ["```sh", "a|b", "-|-", "", "1|2", "```", "a|b", "-|-", "1|2"],
        ["```sh", "a|b", "-|-", "1|2", "```", "a: 1", "b: 2"]
      ),
    ]
  )
  func lines(sample: Case) {
    #expect(SpokenLines.lines(of: sample.text) == sample.lines)
  }

  @Test("random rows lose no word")
  func words() {
    var random = SeededGenerator(seed: 7)
    for _ in 1...2000 {
      let parts = ["a1", "b2 | c3", "| d4 | e5 |", "|--|--|", "-|-", "", "```", "> f6|g7"]
      let text = (0..<8).compactMap { _ in parts.randomElement(using: &random) }
      var spoken = SpokenLines()
      let printed = text.flatMap { spoken.take($0) } + spoken.finish()
      func words(_ lines: [String]) -> Set<String> {
        Set(lines.joined(separator: " ").split { !$0.isLetter && !$0.isNumber }.map(String.init))
      }
      #expect(words(printed) == words(text), "\(text)")
      #expect(spoken.finish().isEmpty)
    }
  }
}
