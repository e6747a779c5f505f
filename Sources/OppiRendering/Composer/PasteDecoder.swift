// SPDX-License-Identifier: MIT

/// Collects what is between the two marks of a bracketed paste.
struct PasteDecoder: Sendable {
  private static let end = Array("\u{1B}[201~".utf8)

  private let limit: Int
  private var bytes: [UInt8] = []
  /// How many bytes of the end mark have come.
  private var matched = 0

  /// Begins after the first mark; of more bytes than the limit the rest is dropped.
  init(limit: Int = 1 << 20) {
    self.limit = limit
  }

  /// Takes the next byte and returns whether it was the last of the end mark.
  mutating func append(_ byte: UInt8) -> Bool {
    if byte != Self.end[matched] {
      for byte in Self.end[..<matched] { keep(byte) }
      matched = 0
    }
    // The mark's first byte is nowhere else in it, so that a mark can only begin anew there.
    if byte == Self.end[matched] { matched += 1 } else { keep(byte) }
    return matched == Self.end.count
  }

  /// What was pasted, as it may be edited.
  var text: String { String(decoding: bytes, as: UTF8.self).editable() }

  private mutating func keep(_ byte: UInt8) {
    if bytes.count < limit { bytes.append(byte) }
  }
}
