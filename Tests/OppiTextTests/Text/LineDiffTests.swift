// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiText

@Suite struct LineDiffTests {
  @Test("both texts can be restored from the lines at any length")
  func rebuilding() {
    var random = SeededGenerator(seed: 1)
    for round in 0..<300 {
      let count = round < 290 ? 30 : 3000
      let texts = (0..<2).map { _ in
        (0..<Int.random(in: 0...count, using: &random))
          .map { _ in ["a", "b", "\n", "\r\n", "é", "c\n"].randomElement(using: &random) ?? "" }
          .joined()
      }
      let lines = LineDiff(from: texts[0], to: texts[1]).lines
      #expect(text(lines, \.old) == Array(texts[0].utf8))
      #expect(text(lines, \.new) == Array(texts[1].utf8))
    }
  }

  private func text(_ lines: [LineDiff.Line], _ line: (LineDiff.Line) -> String?) -> [UInt8] {
    Array(lines.compactMap(line).joined(separator: "\n").utf8)
  }

  @Test("the time grows linearly with lines that are alike up to their ends")
  func time() {
    let times = [10, 1000].map { length in
      let texts = ["a", "b"].map { end in
        (0..<200).map { String(repeating: "x", count: length) + "\($0)" + end }
          .joined(separator: "\n")
      }
      return processorTime {
        #expect(LineDiff(from: texts[0], to: texts[1]).lines.count == 400)
      }
    }
    // The texts are about 80 times as long, and have as many lines.
    #expect(times[1] <= times[0] * 40 + .milliseconds(100), "\(times)")
  }

  @Test("beyond a limit, only the common prefix and suffix are kept")
  func limit() {
    let old = (0..<2000).map { "a\($0)" }
    let new = ["x"] + old.map { $0 + ($0.hasSuffix("5") ? "!" : "") }
    let lines = LineDiff(from: old.joined(separator: "\n"), to: new.joined(separator: "\n")).lines
    #expect(lines.first == .removed("a0"))
    #expect(lines.last == .common("a1999"))
    #expect(lines.count { if case .common = $0 { true } else { false } } == 4)
  }
}

extension LineDiff.Line {
  var old: String? {
    switch self {
    case .common(let text), .removed(let text): text
    case .added: nil
    }
  }

  var new: String? {
    switch self {
    case .common(let text), .added(let text): text
    case .removed: nil
    }
  }
}
