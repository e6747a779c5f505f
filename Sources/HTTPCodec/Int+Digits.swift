// SPDX-License-Identifier: MIT

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
