// SPDX-License-Identifier: MIT

package struct LineDiff: Sendable, Equatable {
  /// A line of one or both texts, without its line feed.
  package enum Line: Sendable, Equatable {
    case common(String)
    case removed(String)
    case added(String)
  }

  /// The maximum number of lines of both texts that are compared.
  ///
  /// Beyond it, all lines between the first and the last difference are removed and added.
  private static let limit = 1000

  /// All lines of both texts in order; common lines occur once.
  ///
  /// Removed lines precede the added lines that replace them. An empty text has no lines; a text
  /// that ends with a line feed has an empty last line.
  package let lines: [Line]

  /// Compares two texts by bytes (Myers 1986), in time linear in their size.
  package init(from old: String, to new: String) {
    var interned: [ArraySlice<UInt8>: Int] = [:]
    let (old, oldKeys) = Self.lines(of: old, &interned)
    let (new, newKeys) = Self.lines(of: new, &interned)
    let start = zip(oldKeys, newKeys).prefix { $0 == $1 }.count
    let end = zip(oldKeys[start...].reversed(), newKeys[start...].reversed())
      .prefix { $0 == $1 }.count
    let oldMiddle = start..<(oldKeys.count - end)
    let newMiddle = start..<(newKeys.count - end)
    let isShort = oldMiddle.count + newMiddle.count <= Self.limit
    let difference = isShort ? newKeys[newMiddle].difference(from: oldKeys[oldMiddle]) : nil
    lines =
      old[..<start].map(Line.common)
      + Self.merged(old[oldMiddle], new[newMiddle], difference)
      + old[oldMiddle.upperBound...].map(Line.common)
  }

  /// The lines of a text, each with a key that equal lines share.
  private static func lines(
    of text: String,
    _ interned: inout [ArraySlice<UInt8>: Int]
  ) -> (texts: [String], keys: [Int]) {
    guard !text.isEmpty else { return ([], []) }
    let lines = Array(text.utf8)
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let keys = lines.map { line in
      if let key = interned[line] { return key }
      interned[line] = interned.count
      return interned.count - 1
    }
    return (lines.map { String(decoding: $0, as: UTF8.self) }, keys)
  }

  /// Merges the lines of two texts; without a difference, no line is common.
  private static func merged(
    _ old: ArraySlice<String>,
    _ new: ArraySlice<String>,
    _ difference: CollectionDifference<Int>?
  ) -> [Line] {
    guard let difference else { return old.map(Line.removed) + new.map(Line.added) }
    var removed: Set<Int> = []
    var added: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var lines: [Line] = []
    var (oldRest, newRest) = (old, new)
    while !oldRest.isEmpty || !newRest.isEmpty {
      if !oldRest.isEmpty, removed.contains(oldRest.startIndex - old.startIndex) {
        lines.append(.removed(oldRest.removeFirst()))
      } else if !newRest.isEmpty, added.contains(newRest.startIndex - new.startIndex) {
        lines.append(.added(newRest.removeFirst()))
      } else {
        lines.append(.common(oldRest.removeFirst()))
        newRest.removeFirst()
      }
    }
    return lines
  }

  /// Returns the different lines with some common lines around them.
  ///
  /// Lines begin with `+ `, `- ` or two spaces; `…` replaces omitted common lines between them.
  package func rows(context: Int) -> [StyledText] {
    let isShown = shown(context: context)
    var rows: [StyledText] = []
    for (index, line) in lines.enumerated() {
      if isShown[index] {
        rows.append(Self.row(of: line))
      } else if index > 0, isShown[index - 1], isShown[index...].contains(true) {
        rows.append(StyledText("…", .dim))
      }
    }
    return rows
  }

  /// Whether each line differs or is near a line that differs.
  private func shown(context: Int) -> [Bool] {
    var isShown = lines.map { !$0.isCommon }
    func show(_ indices: some Sequence<Int>) {
      var left = 0
      for index in indices {
        if !lines[index].isCommon {
          left = context
        } else if left > 0 {
          isShown[index] = true
          left -= 1
        }
      }
    }
    show(lines.indices)
    show(lines.indices.reversed())
    // A text that ends with a line feed has an empty last line, which is not shown.
    if lines.last == .common("") { isShown[lines.count - 1] = false }
    return isShown
  }

  private static func row(of line: Line) -> StyledText {
    switch line {
    case .common(let text): StyledText("  \(text)", .dim)
    case .removed(let text): StyledText("- \(text)", .removed)
    case .added(let text): StyledText("+ \(text)", .added)
    }
  }
}

extension LineDiff.Line {
  fileprivate var isCommon: Bool {
    if case .common = self { true } else { false }
  }
}
