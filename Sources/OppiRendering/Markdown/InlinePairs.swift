// SPDX-License-Identifier: MIT

/// Finds the ends of code within a line: the next run of as many backticks.
struct CodeEnds {
  /// Where runs begin, by their length, from left to right.
  private var runs: [Int: [Int]] = [:]
  /// How many runs of a length lie behind.
  private var passed: [Int: Int] = [:]

  init(_ bytes: [UInt8]) {
    var index = 0
    while let start = bytes[index...].firstIndex(of: UInt8(ascii: "`")) {
      index = bytes[start...].firstIndex { $0 != UInt8(ascii: "`") } ?? bytes.count
      runs[index - start, default: []].append(start)
    }
  }

  /// Returns where the code ends that a run opens; places are asked for from left to right.
  mutating func end(ofRun count: Int, at start: Int) -> Int? {
    let places = runs[count] ?? []
    var next = passed[count] ?? 0
    while next < places.count, places[next] <= start { next += 1 }
    passed[count] = next
    return next < places.count ? places[next] + count : nil
  }
}

/// Which brackets belong together, found in one go.
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
      // No address has a line break.
      case UInt8(ascii: "\n"): rounds = []
      default: break
      }
    }
  }

  /// Returns the link whose text a bracket opens.
  func link(openedAt start: Int) -> Link? {
    guard let text = partners[start], text + 1 < bytes.count, bytes[text + 1] == UInt8(ascii: "("),
      let end = partners[text + 1], end > text + 2
    else { return nil }
    return Link(start: start, textEnd: text, end: end)
  }
}

/// The places of a link's brackets: `[` before its text, `](` behind it, `)` behind its address.
struct Link {
  var start: Int
  var textEnd: Int
  var end: Int
}
