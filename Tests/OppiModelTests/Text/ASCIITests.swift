// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct ASCIITests {
  @Test("only the 26 letters in both cases and the ten digits are alphanumeric")
  func alphanumeric() {
    let all = (UInt8.min...UInt8.max).filter(\.isASCIIAlphanumeric)
    #expect(
      String(decoding: all, as: UTF8.self)
        == "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    )
    #expect((UInt8.min...UInt8.max).filter(\.isASCIIDigit) == Array("0123456789".utf8))
  }
}
