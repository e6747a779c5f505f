// SPDX-License-Identifier: MIT

/// The end of a tool's output and the size of all of it.
///
/// The cost of appending depends only on the appended piece, not on the length of the output.
package struct ToolOutputText: Sendable, Equatable {
  /// The limit of ``text`` in bytes of UTF-8.
  package static let limit = 64 * 1024

  /// Up to twice the limit, so that cutting is rare.
  private var kept = ""

  /// The size of the whole output in bytes of UTF-8.
  package private(set) var totalBytes = 0
  /// The number of lines of the whole output; `nil` if the server sent only its end.
  package private(set) var totalLines: Int? = 0

  package init() {}

  package var text: String { kept.tail(bytes: Self.limit) }

  package var isTruncated: Bool { totalBytes > text.utf8.count }

  var keptBytes: Int { kept.utf8.count }

  mutating func append(_ piece: String) {
    guard !piece.isEmpty else { return }
    // The piece may continue an unfinished line.
    let isWithinLine = !kept.isEmpty && kept.utf8.last != UInt8(ascii: "\n")
    totalLines = totalLines.map { $0 + piece.lineCount - (isWithinLine ? 1 : 0) }
    totalBytes += piece.utf8.count
    kept += piece.tail(bytes: Self.limit)
    if kept.utf8.count > 2 * Self.limit { kept = text }
  }

  /// Replaces all output so far; `text` is the whole output, or the end of `totalBytes` bytes.
  mutating func replace(with text: String, totalBytes: Int?) {
    kept = text.tail(bytes: Self.limit)
    self.totalBytes = max(totalBytes ?? 0, text.utf8.count)
    totalLines = self.totalBytes > text.utf8.count ? nil : text.lineCount
  }

  mutating func complete(totalBytes: Int?, totalLines: Int?) {
    self.totalBytes = max(totalBytes ?? 0, self.totalBytes)
    self.totalLines = totalLines ?? self.totalLines
  }

  mutating func shrink(to bytes: Int) {
    kept = kept.tail(bytes: bytes)
  }
}
