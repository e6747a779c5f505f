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

extension JSONParser {
  mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    if dialect == .json5, let value = json5Number() { return value }
    position = start
    guard let digits = DecimalDigits(at: &position, in: bytes) else {
      position = start
      throw error(peek.map(Self.mayBeginNumber) == true ? .invalidNumber : .unexpectedCharacter)
    }
    if let value = digits.value { return value }
    // Too many digits for an exact integer: the standard library rounds correctly.
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let value = Double(text), value.isFinite else {
      position = start
      throw error(.invalidNumber)
    }
    return .double(value)
  }

  private static func mayBeginNumber(_ byte: UInt8) -> Bool {
    "0123456789-+.eE".utf8.contains(byte)
  }

  /// Parses numbers that only JSON5 has, such as `+1`, `0xFF`, `.5` and `5.`; `nil` for others.
  private mutating func json5Number() -> JSONValue? {
    let start = position
    while let byte = peek, Self.hexDigit(byte) != nil || "-+.xX".utf8.contains(byte) {
      position += 1
    }
    var text = String(decoding: bytes[start..<position], as: UTF8.self)
    let isPlain = !text.hasPrefix("+") && !text.hasPrefix(".") && !text.hasSuffix(".")
    if text.hasPrefix("+") { text.removeFirst() }
    if text.lowercased().hasPrefix("0x") {
      return Int64(text.dropFirst(2), radix: 16).map(JSONValue.integer)
    }
    guard !isPlain else { return nil }
    if text.hasPrefix(".") { text = "0" + text }
    if text.hasSuffix(".") { text.append("0") }
    return try? JSONValue(parsing: Array(text.utf8))
  }
}

/// A number by RFC 8259 section 6, as its digits and its exponent.
private struct DecimalDigits {
  /// All digits as one negative number, as far as they fit.
  private var significand: Int64 = 0
  private var isExact = true
  private var isNegative = false
  private var exponent = 0
  private var isInteger = true

  /// The powers of ten that a `Double` represents exactly.
  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// Parses at a position; `nil` if there is no number.
  init?(at position: inout Int, in bytes: [UInt8]) {
    func byte() -> UInt8? { position < bytes.count ? bytes[position] : nil }
    if byte() == UInt8(ascii: "-") {
      isNegative = true
      position += 1
    }
    let startsWithZero = byte() == UInt8(ascii: "0")
    let whole = readDigits(at: &position, in: bytes)
    guard whole > 0, whole == 1 || !startsWithZero else { return nil }
    if byte() == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      let fraction = readDigits(at: &position, in: bytes)
      guard fraction > 0 else { return nil }
      exponent = -fraction
    }
    if byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E") {
      isInteger = false
      position += 1
      guard readExponent(at: &position, in: bytes) else { return nil }
    }
  }

  private mutating func readDigits(at position: inout Int, in bytes: [UInt8]) -> Int {
    let start = position
    while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 {
      let (product, isOver) = significand.multipliedReportingOverflow(by: 10)
      let digit = Int64(bytes[position] &- UInt8(ascii: "0"))
      let (sum, isBeyond) = product.subtractingReportingOverflow(digit)
      // Kept negative, because the range includes the lowest integer only there.
      if isOver || isBeyond { isExact = false } else if isExact { significand = sum }
      position += 1
    }
    return position - start
  }

  private mutating func readExponent(at position: inout Int, in bytes: [UInt8]) -> Bool {
    var isBelow = false
    if position < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position]) {
      isBelow = bytes[position] == UInt8(ascii: "-")
      position += 1
    }
    let start = position
    var value = 0
    while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 {
      // With a larger exponent, no number is finite or nonzero.
      value = min(value * 10 + Int(bytes[position] &- UInt8(ascii: "0")), 100_000)
      position += 1
    }
    exponent += isBelow ? -value : value
    return position > start
  }

  /// The value if arithmetic alone gives it exactly; `nil` if it needs careful rounding.
  var value: JSONValue? {
    guard isExact else { return nil }
    if isInteger {
      guard !isNegative else { return .integer(significand) }
      return significand == .min ? nil : .integer(-significand)
    }
    // An operation on two exact factors rounds once, which is correct.
    guard significand >= -(1 << 53), abs(exponent) < Self.powers.count else { return nil }
    let power = Self.powers[abs(exponent)]
    let magnitude = exponent < 0 ? Double(-significand) / power : Double(-significand) * power
    return .double(isNegative ? -magnitude : magnitude)
  }
}
