// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct ASCIITests {
  @Test("only ASCII letters and digits are alphanumeric")
  func alphanumeric() {
    let all = (UInt8.min...UInt8.max).filter(\.isASCIIAlphanumeric)
    #expect(
      String(decoding: all, as: UTF8.self)
        == "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    )
    #expect((UInt8.min...UInt8.max).filter(\.isASCIIDigit) == Array("0123456789".utf8))
  }
}
