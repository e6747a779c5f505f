// SPDX-License-Identifier: MIT

extension Substring {
  func head(bytes limit: Int) -> String {
    guard var end = utf8.index(startIndex, offsetBy: Swift.max(0, limit), limitedBy: endIndex),
      end < endIndex
    else { return String(self) }
    while end > startIndex, utf8[end] & 0b1100_0000 == 0b1000_0000 { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}

extension String {
  /// Returns the longest prefix of at most `limit` bytes of UTF-8, cut between scalars.
  package func head(bytes limit: Int) -> String {
    utf8.count > limit ? self[...].head(bytes: limit) : self
  }

  /// Returns the longest suffix of at most `limit` bytes of UTF-8, cut between scalars.
  package func tail(bytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var start = utf8.index(endIndex, offsetBy: -max(0, limit))
    while start < endIndex, isInsideScalar(start) { start = utf8.index(after: start) }
    return String(self[start...])
  }

  var lineFeedCount: Int {
    let bytes = utf8Span.span
    var count = 0
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") { count += 1 }
    return count
  }

  /// The number of lines, including a last line without a line feed.
  var lineCount: Int {
    lineFeedCount + (isEmpty || utf8.last == UInt8(ascii: "\n") ? 0 : 1)
  }

  private func isInsideScalar(_ index: Index) -> Bool {
    utf8[index] & 0b1100_0000 == 0b1000_0000
  }
}
