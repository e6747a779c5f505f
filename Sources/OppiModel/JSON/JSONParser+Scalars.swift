// SPDX-License-Identifier: MIT

// MARK: - Numbers

extension JSONParser {
  mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    while let byte = peek, Self.isNumberByte(byte, in: dialect) { position += 1 }
    guard position > start else { throw error(.unexpectedCharacter) }
    var text = String(decoding: bytes[start..<position], as: UTF8.self)
    if dialect == .json5 {
      if text.hasPrefix("+") { text.removeFirst() }
      if text.lowercased().hasPrefix("0x"), let value = Int64(text.dropFirst(2), radix: 16) {
        return .integer(value)
      }
      if text.hasPrefix(".") { text = "0" + text }
      if text.hasSuffix(".") { text.append("0") }
    }
    guard Self.isNumber(text) else {
      position = start
      throw error(.invalidNumber)
    }
    if let value = Int64(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else {
      position = start
      throw error(.invalidNumber)
    }
    return .double(value)
  }

  private static func isNumberByte(_ byte: UInt8, in dialect: Dialect) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    case UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      dialect == .json5
    default: false
    }
  }

  /// Whether the text is a number by RFC 8259 section 6; Swift's own conversions accept more.
  private static func isNumber(_ text: String) -> Bool {
    var rest = Substring(text)
    if rest.first == "-" { rest.removeFirst() }
    let whole = rest.prefix(while: isDigit)
    guard !whole.isEmpty, whole == "0" || whole.first != "0" else { return false }
    rest = rest[whole.endIndex...]
    if rest.first == "." {
      let fraction = rest.dropFirst().prefix(while: isDigit)
      guard !fraction.isEmpty else { return false }
      rest = rest[fraction.endIndex...]
    }
    if rest.first == "e" || rest.first == "E" {
      rest.removeFirst()
      if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
      return !rest.isEmpty && rest.allSatisfy(isDigit)
    }
    return rest.isEmpty
  }

  private static func isDigit(_ character: Character) -> Bool {
    ("0"..."9").contains(character)
  }
}

// MARK: - Strings

extension JSONParser {
  mutating func string(quote: UInt8) throws(JSONError) -> String {
    position += 1
    let start = position
    while let byte = peek {
      if byte == quote {
        defer { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") { return try escapedString(from: start, quote: quote) }
      position += 1
    }
    throw error(.unterminatedString)
  }

  private mutating func escapedString(
    from start: Int,
    quote: UInt8
  ) throws(JSONError) -> String {
    var text = Array(bytes[start..<position])
    while let byte = peek {
      position += 1
      if byte == quote { return String(decoding: text, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") {
        try appendEscape(to: &text)
      } else {
        text.append(byte)
      }
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
    case UInt8(ascii: "u"): text.append(contentsOf: Array(String(try unicodeEscape()).utf8))
    case UInt8(ascii: "'") where dialect == .json5: text.append(byte)
    case 0x0A where dialect == .json5: break
    default:
      position -= 1
      throw error(.invalidEscape)
    }
  }

  /// Reads the digits of `\uXXXX` and of the low half that may follow; a half alone is U+FFFD.
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
    guard position + 4 <= bytes.count,
      bytes[position] != UInt8(ascii: "+"),
      let unit = UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
    else { throw error(.invalidEscape) }
    position += 4
    return unit
  }
}
