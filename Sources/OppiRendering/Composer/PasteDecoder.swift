// SPDX-License-Identifier: MIT

/// Collects the bytes of a bracketed paste.
struct PasteDecoder: Sendable {
  private static let end = Array("\u{1B}[201~".utf8)

  private let limit: Int
  private var bytes: [UInt8] = []
  /// The number of matched bytes of the end mark.
  private var matched = 0

  /// Starts after the start mark; bytes beyond the limit are discarded.
  init(limit: Int = 1 << 20) {
    self.limit = limit
  }

  /// Processes the next byte; returns true if it completes the end mark.
  mutating func append(_ byte: UInt8) -> Bool {
    if byte != Self.end[matched] {
      for byte in Self.end[..<matched] { keep(byte) }
      matched = 0
    }
    // The first byte of the mark occurs only once in it, so a match can only restart at this byte.
    if byte == Self.end[matched] { matched += 1 } else { keep(byte) }
    return matched == Self.end.count
  }

  /// The pasted text as ``EditBuffer`` accepts it.
  var text: String { String(decoding: bytes, as: UTF8.self).editable() }

  private mutating func keep(_ byte: UInt8) {
    if bytes.count < limit { bytes.append(byte) }
  }
}
