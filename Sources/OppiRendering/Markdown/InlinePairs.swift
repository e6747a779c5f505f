// SPDX-License-Identifier: MIT

/// Finds the end of inline code: the next run of the same number of backticks.
struct CodeEnds {
  /// The start of each run, by length, in ascending order.
  private var runs: [Int: [Int]] = [:]
  /// The number of passed runs, by length.
  private var passed: [Int: Int] = [:]

  init(_ bytes: [UInt8]) {
    var index = 0
    while let start = bytes[index...].firstIndex(of: UInt8(ascii: "`")) {
      index = bytes[start...].firstIndex { $0 != UInt8(ascii: "`") } ?? bytes.count
      runs[index - start, default: []].append(start)
    }
  }

  /// Returns the end of the code that a run opens; calls must be in ascending order.
  mutating func end(ofRun count: Int, at start: Int) -> Int? {
    let places = runs[count] ?? []
    var next = passed[count] ?? 0
    while next < places.count, places[next] <= start { next += 1 }
    passed[count] = next
    return next < places.count ? places[next] + count : nil
  }
}

struct BracketPairs {
  private var partners: [Int: Int] = [:]
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var squares: [Int] = []
    var rounds: [Int] = []
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "["): squares.append(index)
      case UInt8(ascii: "]"): if let start = squares.popLast() { partners[start] = index }
      case UInt8(ascii: "("): rounds.append(index)
      case UInt8(ascii: ")"): if let start = rounds.popLast() { partners[start] = index }
      // An address cannot contain a line break.
      case UInt8(ascii: "\n"): rounds = []
      default: break
      }
    }
  }

  /// Returns the link whose text begins at a bracket.
  func link(openedAt start: Int) -> Link? {
    guard let text = partners[start], text + 1 < bytes.count, bytes[text + 1] == UInt8(ascii: "("),
      let end = partners[text + 1], end > text + 2
    else { return nil }
    return Link(start: start, textEnd: text, end: end)
  }
}

/// The positions of a link's brackets: `[` before the text, `](` after it, `)` after the address.
struct Link {
  var start: Int
  var textEnd: Int
  var end: Int
}
