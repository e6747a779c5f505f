// SPDX-License-Identifier: MIT

extension UInt8 {
  /// Whether the byte is a `tchar`: a letter, a digit or one of some marks (RFC 9110 section
  /// 5.6.2).
  var isTokenCharacter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }

  /// Whether the byte is a printable ASCII character other than the space.
  var isVisible: Bool { 0x21...0x7E ~= self }

  /// Whether a field value or a reason phrase may contain the byte (RFC 9110 section 5.5).
  ///
  /// Control characters other than the tab are not allowed.
  var isFieldText: Bool { self >= 0x20 && self != 0x7F || self == UInt8(ascii: "\t") }

  /// Whether the byte is a space or a tab (RFC 9110 section 5.6.3).
  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension Collection<UInt8> {
  /// Whether the bytes are a valid method or header name (RFC 9110 section 5.6.2).
  var isToken: Bool { !isEmpty && allSatisfy(\.isTokenCharacter) }
}

extension BidirectionalCollection<UInt8> {
  var trimmed: SubSequence {
    guard let last = lastIndex(where: { !$0.isBlank }) else { return self[endIndex...] }
    return self[...last].drop { $0.isBlank }
  }
}

extension String {
  /// Compares names as HTTP does: ignores the case of ASCII letters only.
  func equalsIgnoringCase(_ other: String) -> Bool {
    func folded(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
    return utf8.elementsEqual(other.utf8) { folded($0) == folded($1) }
  }
}

extension Int {
  /// Parses an unsigned number; nil unless every byte is a digit of the radix.
  ///
  /// A number above `Int.max` becomes `Int.max`.
  init?(digits: some Collection<UInt8>, radix: Int) {
    func isDigit(_ byte: UInt8) -> Bool {
      guard let value = Character(UnicodeScalar(byte)).hexDigitValue else { return false }
      return value < radix
    }
    // `Int.init(_:radix:)` would also accept a sign.
    guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
    self = Int(String(decoding: digits, as: UTF8.self), radix: radix) ?? .max
  }
}
