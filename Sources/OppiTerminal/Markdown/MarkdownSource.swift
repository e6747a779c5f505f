// SPDX-License-Identifier: MIT

/// A fenced block of code in a text.
package struct CodeBlock: Sendable, Equatable {
  /// The rows that show it.
  package fileprivate(set) var rows: Range<Int>
  /// Its lines as they were written, without the fences and the margin of lists and quotes.
  package fileprivate(set) var source: String
}

/// Collects the blocks of code while a text is laid out.
struct CodeBlocks {
  private var blocks: [CodeBlock] = []
  /// The number of lines of the last block.
  private var lineCount = 0

  /// Those that show something.
  var all: [CodeBlock] { blocks.filter { !$0.rows.isEmpty && !$0.source.isEmpty } }

  /// Takes a line that the reader has read; `row` is the number of rows before it.
  mutating func take(_ line: LineSplitter.Line, readBy reader: MarkdownReader, from row: Int) {
    guard case .code(let code) = reader.leaf else { return }
    if reader.codeCount != blocks.count {
      blocks.append(CodeBlock(rows: row..<row, source: ""))
      lineCount = 0
    }
    let last = blocks.count - 1
    guard last >= 0 else { return }
    if line.continues {
      blocks[last].source += line.text(after: 0)
    } else if code.lineCount > lineCount {
      // Blank lines before it may be known to be code only now.
      let breaks = code.lineCount - max(1, lineCount)
      blocks[last].source += String(repeating: "\n", count: breaks) + line.text(after: code.margin)
      lineCount = code.lineCount
    }
    let first = blocks[last].rows.isEmpty ? row : blocks[last].rows.lowerBound
    blocks[last].rows = first..<max(first, reader.layout.shownCount)
  }
}

extension LineSplitter.Line {
  /// The line as it was written, without its break and its first columns, of which a tab has 4, as in
  /// ``markdown``.
  fileprivate func text(after columns: Int) -> String {
    var rest = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes
    var left = columns
    while left > 0, let byte = rest.popFirst() { left -= byte == UInt8(ascii: "\t") ? 4 : 1 }
    return String(repeating: " ", count: max(0, -left)) + String(decoding: rest, as: UTF8.self)
  }
}
