// SPDX-License-Identifier: MIT

extension UInt8 {
  package var isASCIIDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  package var isASCIILetter: Bool {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self
  }

  package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }
}
