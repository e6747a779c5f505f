// SPDX-License-Identifier: MIT

/// Text of the table: paragraphs separated by blank lines; indented lines are verbatim.
struct Prose: Equatable {
  enum Block: Equatable {
    /// Text that is wrapped to the width.
    case paragraph(String)

    /// Lines kept as they are, without the two columns of indent that mark them.
    case verbatim([String])
  }

  private(set) var blocks: [Block] = []

  init(_ text: String) {
    var followsBlank = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.allSatisfy(\.isWhitespace) {
        followsBlank = true
        continue
      }
      switch (blocks.last, line.hasPrefix("  ")) {
      case (.verbatim(let lines)?, true):
        let gap = followsBlank ? [""] : []
        blocks[blocks.count - 1] = .verbatim(lines + gap + [String(line.dropFirst(2))])
      case (_, true):
        blocks.append(.verbatim([String(line.dropFirst(2))]))
      case (.paragraph(let words)?, false) where !followsBlank:
        blocks[blocks.count - 1] = .paragraph("\(words) \(line)")
      case (_, false):
        blocks.append(.paragraph(String(line)))
      }
      followsBlank = false
    }
  }

  /// Returns the text for a terminal, with a blank line between blocks.
  func text(width: Int) -> String {
    blocks.map { block in
      switch block {
      case .paragraph(let words): Self.wrap(words, width: width).joined(separator: "\n")
      case .verbatim(let lines): lines.map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n")
      }
    }
    .joined(separator: "\n\n")
  }

  /// Wraps a paragraph to `width` columns; a longer word gets a line of its own.
  static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let line = lines.last, line.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension [HelpRow] {
  /// Returns the terms and their meanings, aligned and wrapped, without a final line break.
  func text(width: Int) -> String {
    // A wider term has a line of its own; the limit is 30 of 80 columns.
    let widestTerm = width * 3 / 8
    let column = 4 + (map(\.term.count).filter { $0 <= widestTerm }.max() ?? widestTerm)
    let margin = String(repeating: " ", count: column)
    return flatMap { row in
      let term = "  \(row.term)"
      var lines = Prose.wrap(row.meaning, width: width - column).map { margin + $0 }
      if let first = lines.first, term.count + 2 <= column {
        lines[0] = term + first.dropFirst(term.count)
      } else {
        lines.insert(term, at: 0)
      }
      return lines
    }
    .joined(separator: "\n")
  }
}
