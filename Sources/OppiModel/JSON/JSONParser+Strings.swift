// SPDX-License-Identifier: MIT

extension JSONParser {
  mutating func string(quote: UInt8) throws(JSONError) -> String {
    position += 1
    let start = position
    skipPlain(quote: quote)
    if peek == quote {
      defer { position += 1 }
      return text(in: start..<position)
    }
    return try escapedString(from: start, quote: quote)
  }

  func text(in range: Range<Int>) -> String {
    bytes.withUnsafeBufferPointer {
      String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
    }
  }

  /// Advances to the quote, an escape or the end.
  private mutating func skipPlain(quote: UInt8) {
    position = bytes.withUnsafeBufferPointer { bytes in
      var index = position
      while index < bytes.count, bytes[index] != quote, bytes[index] != UInt8(ascii: "\\") {
        index += 1
      }
      return index
    }
  }

  private mutating func escapedString(
    from start: Int,
    quote: UInt8
  ) throws(JSONError) -> String {
    var text = Array(bytes[start..<position])
    while let byte = peek {
      position += 1
      if byte == quote { return String(decoding: text, as: UTF8.self) }
      try appendEscape(to: &text)
      let plain = position
      skipPlain(quote: quote)
      text += bytes[plain..<position]
    }
    throw error(.unterminatedString)
  }

  private mutating func appendEscape(to text: inout [UInt8]) throws(JSONError) {
    guard let byte = peek else { throw error(.unterminatedString) }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "u"): append(try unicodeEscape(), to: &text)
    case UInt8(ascii: "'") where dialect == .json5: text.append(byte)
    case 0x0A where dialect == .json5: break
    default:
      position -= 1
      throw error(.invalidEscape)
    }
  }

  private func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    if let bytes = UTF8.encode(scalar) { for byte in bytes { text.append(byte) } }
  }

  /// Parses the digits of `\uXXXX` and a following low surrogate; a lone surrogate is U+FFFD.
  private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
    let replacement: Unicode.Scalar = "\u{FFFD}"
    let unit = try hexUnit()
    guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) ?? replacement }
    let rewind = position
    guard take("\\u") else { return replacement }
    let trail = try hexUnit()
    guard UTF16.isTrailSurrogate(trail) else {
      position = rewind
      return replacement
    }
    return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
  }

  private mutating func hexUnit() throws(JSONError) -> UInt16 {
    guard position + 4 <= bytes.count else { throw error(.invalidEscape) }
    var unit: UInt16 = 0
    for byte in bytes[position..<position + 4] {
      guard let digit = Self.hexDigit(byte) else { throw error(.invalidEscape) }
      unit = unit << 4 | UInt16(digit)
    }
    position += 4
    return unit
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
