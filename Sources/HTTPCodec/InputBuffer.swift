// SPDX-License-Identifier: MIT

/// Received bytes that were not read yet.
struct InputBuffer: Sendable {
  private var bytes: [UInt8] = []
  private var position = 0
  /// Up to here no line end was found, so that no byte is searched twice.
  private var searched = 0

  var unread: ArraySlice<UInt8> { bytes[position...] }

  mutating func append(_ new: some Collection<UInt8>) {
    // Dropping what was read only when it is at least half keeps the moving linear.
    if position > bytes.count / 2 {
      bytes.removeSubrange(..<position)
      searched -= position
      position = 0
    }
    bytes.append(contentsOf: new)
  }

  /// Takes the next bytes, as many as there are but not more than `limit`.
  mutating func take(atMost limit: Int) -> ArraySlice<UInt8> {
    let taken = unread.prefix(limit)
    position = taken.endIndex
    searched = max(searched, position)
    return taken
  }

  /// Takes the next line with its line feed, or returns nil while that is missing.
  ///
  /// A line of more than `limit` bytes throws `error`, even before its end is there.
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
