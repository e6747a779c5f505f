// SPDX-License-Identifier: MIT

extension UInt8 {
  /// A letter, a digit or one of the marks of `tchar` (RFC 9110 section 5.6.2).
  var isTokenCharacter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }

  /// Any printable ASCII character but the space.
  var isVisible: Bool { 0x21...0x7E ~= self }

  /// What a field value or a reason phrase may hold: no control character but the tab
  /// (RFC 9110 section 5.5).
  var isFieldText: Bool { self >= 0x20 && self != 0x7F || self == UInt8(ascii: "\t") }

  /// A space or a tab (RFC 9110 section 5.6.3).
  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension Collection<UInt8> {
  /// Whether this is a method or a header name (RFC 9110 section 5.6.2).
  var isToken: Bool { !isEmpty && allSatisfy(\.isTokenCharacter) }
}

extension BidirectionalCollection<UInt8> {
  /// The bytes without the spaces and tabs around them.
  var trimmed: SubSequence {
    guard let last = lastIndex(where: { !$0.isBlank }) else { return self[endIndex...] }
    return self[...last].drop { $0.isBlank }
  }
}

extension String {
  /// Compares as HTTP compares names: only ASCII letters have a case.
  func equalsIgnoringCase(_ other: String) -> Bool {
    func folded(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
    return utf8.elementsEqual(other.utf8) { folded($0) == folded($1) }
  }
}

extension Int {
  /// Reads an unsigned number, as `Int.max` when it is larger than that; nil unless every byte is
  /// a digit of the radix.
  init?(digits: some Collection<UInt8>, radix: Int) {
    func isDigit(_ byte: UInt8) -> Bool {
      guard let value = Character(UnicodeScalar(byte)).hexDigitValue else { return false }
      return value < radix
    }
    // The initialiser of the library alone would also take a sign.
    guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
    self = Int(String(decoding: digits, as: UTF8.self), radix: radix) ?? .max
  }
}
