// SPDX-License-Identifier: MIT

extension UInt8 {
  /// Whether it is a digit of ASCII.
  package var isASCIIDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  /// Whether it is a letter of ASCII.
  package var isASCIILetter: Bool {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self
  }

  /// Whether it is a letter or a digit of ASCII.
  package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }
}
