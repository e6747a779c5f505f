// SPDX-License-Identifier: MIT

/// Running text of the table: paragraphs parted by blank lines, indented lines kept as they are.
struct Prose: Equatable {
  /// A piece of the text.
  enum Block: Equatable {
    /// Words that fill the line.
    case paragraph(String)

    /// Lines that stay as they are, less the two columns of indent that mark them.
    case verbatim([String])
  }

  /// The pieces in order.
  private(set) var blocks: [Block] = []

  /// Reads the text.
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

  /// Returns the text for a terminal, a blank line between its pieces.
  func text(width: Int) -> String {
    blocks.map { block in
      switch block {
      case .paragraph(let words): Self.wrap(words, width: width).joined(separator: "\n")
      case .verbatim(let lines): lines.map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n")
      }
    }
    .joined(separator: "\n\n")
  }

  /// Breaks a paragraph into lines of at most `width` columns; a longer word has a line of its own.
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
