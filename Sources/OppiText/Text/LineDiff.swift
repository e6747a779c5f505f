// SPDX-License-Identifier: MIT

/// What differs between two texts, line by line.
package struct LineDiff: Sendable, Equatable {
  /// A line of one or both texts, without its line feed.
  package enum Line: Sendable, Equatable {
    case common(String)
    case removed(String)
    case added(String)

    package var isCommon: Bool { if case .common = self { true } else { false } }
    package var isRemoved: Bool { if case .removed = self { true } else { false } }
    package var isAdded: Bool { if case .added = self { true } else { false } }
  }

  /// The maximum number of lines of both texts that are compared.
  ///
  /// Beyond it, all lines between the first and the last difference are removed and added.
  package static let limit = 1000

  /// All lines of both texts in order; common lines occur once.
  ///
  /// Removed lines precede the added lines that replace them. An empty text has no lines; a text
  /// that ends with a line feed has an empty last line.
  package let lines: [Line]

  /// Compares two texts by bytes (Myers 1986), in time linear in their size.
  ///
  /// `limit` is the number of lines that are compared.
  package init(from old: String, to new: String, limit: Int = limit) {
    let (old, new) = (Self.lines(of: old), Self.lines(of: new))
    let start = zip(old, new).prefix { $0 == $1 }.count
    let end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
    let rest = old.count - end
    lines =
      old[..<start].map { .common(Self.text($0)) }
      + Self.merged(old[start..<rest], new[start..<(new.count - end)], limit: limit)
      + old[rest...].map { .common(Self.text($0)) }
  }

  private typealias Bytes = ArraySlice<UInt8>

  private static func lines(of text: String) -> [Bytes] {
    guard !text.isEmpty else { return [] }
    return Array(text.utf8)
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  }

  private static func text(_ line: Bytes) -> String { String(decoding: line, as: UTF8.self) }

  /// Merges the lines of two texts; beyond the limit, no line is common.
  private static func merged(
    _ old: ArraySlice<Bytes>,
    _ new: ArraySlice<Bytes>,
    limit: Int
  ) -> [Line] {
    var (removed, added) = (Set(0..<old.count), Set(0..<new.count))
    if old.count + new.count <= limit {
      (removed, added) = ([], [])
      // Long lines that are alike would be read in each of many comparisons.
      var known: [Bytes: Int] = [:]
      func number(_ line: Bytes) -> Int {
        if let number = known[line] { return number }
        known[line] = known.count
        return known.count - 1
      }
      let before = old.map(number)
      for change in new.map(number).difference(from: before) {
        switch change {
        case .remove(let offset, _, _): removed.insert(offset)
        case .insert(let offset, _, _): added.insert(offset)
        }
      }
    }
    var lines: [Line] = []
    var (oldRest, newRest) = (old, new)
    while !oldRest.isEmpty || !newRest.isEmpty {
      if removed.contains(oldRest.startIndex - old.startIndex) {
        lines.append(.removed(text(oldRest.removeFirst())))
      } else if added.contains(newRest.startIndex - new.startIndex) {
        lines.append(.added(text(newRest.removeFirst())))
      } else {
        lines.append(.common(text(oldRest.removeFirst())))
        newRest.removeFirst()
      }
    }
    return lines
  }
}
