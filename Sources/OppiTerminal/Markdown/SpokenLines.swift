// SPDX-License-Identifier: MIT

/// The lines of a Markdown text for listeners, as they arrive: tables become records, and all other
/// lines stay as they are written, without the empty ones.
package struct SpokenLines: Sendable {
  private enum State: Sendable {
    case text
    /// A row that is the head of a table if a rule follows.
    case row(String)
    /// In a table with these labels.
    case table([StyledText], isEmpty: Bool)
    case code(MarkdownLine.Fence)
  }

  private var state = State.text

  package init() {}

  /// Returns the lines of a whole text.
  package static func lines(of lines: [String]) -> [String] {
    var spoken = SpokenLines()
    return lines.flatMap { spoken.take($0) } + spoken.finish()
  }

  /// Takes a line that is safe to show, and returns the lines that it completes.
  package mutating func take(_ line: String) -> [String] {
    let markdown = MarkdownLine(Array(line.utf8)[...])
    guard !line.allSatisfy(\.isWhitespace) else { return finish() }
    switch state {
    case .code(let fence):
      if markdown.closes(fence) { state = .text }
      return [line]
    case .table(let labels, let isEmpty) where markdown.isRow:
      state = .table(labels, isEmpty: false)
      let record = Table.record(of: markdown.cellTexts(.spoken), labels: labels).map(\.plain)
      return (isEmpty ? [] : [""]) + record
    case .row(let head):
      let first = MarkdownLine(Array(head.utf8)[...])
      guard MarkdownTable.begins(first, markdown) else { break }
      state = .table(first.cellTexts(.spoken), isEmpty: true)
      return []
    case .text, .table: break
    }
    let held = finish()
    if let fence = markdown.fence {
      state = .code(fence)
    } else if markdown.isRow {
      state = .row(line)
      return held
    }
    return held + [line]
  }

  /// Ends the block, except code, and returns the lines that were held.
  package mutating func finish() -> [String] {
    switch state {
    case .code, .text: return []
    case .row(let row):
      state = .text
      return [row]
    case .table(let labels, let isEmpty):
      state = .text
      return isEmpty ? labels.map(\.plain) : []
    }
  }
}
