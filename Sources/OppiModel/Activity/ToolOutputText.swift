// SPDX-License-Identifier: MIT

/// What a tool has printed: the end of it, and how much there was.
///
/// Appending costs no more than the piece appended, however long the output has become.
package struct ToolOutputText: Sendable, Equatable {
  /// The most bytes of UTF-8 that ``text`` holds.
  package static let limit = 64 * 1024

  /// Up to twice the limit, so that cutting is rare.
  private var kept = ""

  /// The size of the whole output in bytes of UTF-8.
  package private(set) var totalBytes = 0
  /// How many lines the whole output has; `nil` where the server told only its end.
  package private(set) var totalLines: Int? = 0

  package init() {}

  /// The end of the output.
  package var text: String { kept.tail(bytes: Self.limit) }

  /// Whether ``text`` is less than the whole output.
  package var isTruncated: Bool { totalBytes > text.utf8.count }

  /// The size of what is held in memory, in bytes.
  var keptBytes: Int { kept.utf8.count }

  mutating func append(_ piece: String) {
    guard !piece.isEmpty else { return }
    // A line that was begun goes on.
    let isWithinLine = !kept.isEmpty && kept.utf8.last != UInt8(ascii: "\n")
    totalLines = totalLines.map { $0 + piece.lineCount - (isWithinLine ? 1 : 0) }
    totalBytes += piece.utf8.count
    kept += piece.tail(bytes: Self.limit)
    if kept.utf8.count > 2 * Self.limit { kept = text }
  }

  /// Takes a text in place of all before: the end of an output of `totalBytes`, or all of it.
  mutating func replace(with text: String, totalBytes: Int?) {
    kept = text.tail(bytes: Self.limit)
    self.totalBytes = max(totalBytes ?? 0, text.utf8.count)
    totalLines = self.totalBytes > text.utf8.count ? nil : text.lineCount
  }

  /// Takes what the server says of the whole output once it is complete.
  mutating func complete(totalBytes: Int?, totalLines: Int?) {
    self.totalBytes = max(totalBytes ?? 0, self.totalBytes)
    self.totalLines = totalLines ?? self.totalLines
  }

  /// Drops all but the last bytes.
  mutating func shrink(to bytes: Int) {
    kept = kept.tail(bytes: bytes)
  }
}
