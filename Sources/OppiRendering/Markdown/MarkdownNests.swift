// SPDX-License-Identifier: MIT

/// The open quotes and list items, from the outermost.
struct MarkdownNests: Sendable {
  /// Deeper lists and quotes are shown as written.
  static let depthLimit = 8
  static let bar = StyledText("│ ", .dim)

  enum Container: Sendable {
    case quote
    /// An item whose text has an indent; lines with at least the second indent belong to it.
    case item(text: Int, least: Int)
  }

  private struct Nest: Sendable {
    var container: Container
    /// The start of its rows, including that of the outer ones.
    var margin: StyledText
    /// The number of rows before its first one.
    var start: Int
  }

  private var nests: [Nest] = []
  /// The blank lines since the last line, if they may be outside of the innermost items.
  var pendingBlanks = 0
  /// The least level of the pending blank lines.
  var pendingFloor = 0
  /// The level of the last line if it was blank.
  var blankLevel: Int?

  var count: Int { nests.count }

  var isEmpty: Bool { nests.isEmpty }

  var margin: StyledText { nests.last?.margin ?? StyledText() }

  var beginsWithItem: Bool { if case .item? = nests.first?.container { true } else { false } }

  /// The number of nests that certainly contain a blank line: those up to the last quote.
  var floor: Int {
    let last = nests.lastIndex { if case .quote = $0.container { true } else { false } }
    return last.map { $0 + 1 } ?? 0
  }

  /// How many nests a line continues, and the rest of the line; a blank line continues items.
  func match(_ line: MarkdownLine) -> (count: Int, rest: MarkdownLine) {
    var rest = line
    for (index, nest) in nests.enumerated() {
      switch nest.container {
      case .quote:
        guard let quoted = rest.quoted else { return (index, rest) }
        rest = quoted
      case .item(let text, let least):
        guard !rest.isBlank else { continue }
        guard rest.indent >= least else { return (index, rest) }
        rest = rest.dropping(indent: text)
      }
    }
    return (nests.count, rest)
  }

  mutating func push(_ container: Container, margin: StyledText, start: Int) {
    nests.append(Nest(container: container, margin: self.margin.with(margin), start: start))
  }

  /// Removes the innermost nest and returns the number of rows before its first one.
  mutating func pop() -> Int { nests.popLast()?.start ?? 0 }
}
