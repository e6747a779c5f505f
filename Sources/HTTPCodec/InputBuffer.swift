// SPDX-License-Identifier: MIT

/// Received bytes and the position of the next unread one.
struct InputBuffer: Sendable {
  private var bytes: [UInt8] = []
  private var position = 0
  /// There is no line end before this position, so no byte is searched twice.
  private var searched = 0

  var unread: ArraySlice<UInt8> { bytes[position...] }

  mutating func append(_ new: some Collection<UInt8>) {
    // Removing at least half of the bytes at once keeps the total cost linear.
    if position > bytes.count / 2 {
      bytes.removeSubrange(..<position)
      searched -= position
      position = 0
    }
    bytes.append(contentsOf: new)
  }

  /// Takes at most `limit` bytes, as many as are available.
  mutating func take(atMost limit: Int) -> ArraySlice<UInt8> {
    let taken = unread.prefix(limit)
    position = taken.endIndex
    searched = max(searched, position)
    return taken
  }

  /// Takes the next line with its line feed; returns nil while that is missing.
  ///
  /// Throws `error` if the line exceeds `limit` bytes, even if it is incomplete.
  mutating func takeLine(
    atMost limit: Int,
    orThrow error: HTTPError
  ) throws(HTTPError) -> ArraySlice<UInt8>? {
    let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
    searched = end ?? bytes.endIndex
    let length = (end.map { $0 + 1 } ?? bytes.endIndex) - position
    guard length <= limit else { throw error }
    return end == nil ? nil : take(atMost: length)
  }
}
