// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct ECDSASignatureTests {
  private static let small = [UInt8](repeating: 0, count: 31) + [1]
  private static let large = [UInt8](repeating: 0xFF, count: 32)

  @Test(
    "a signature has the same value in both forms",
    arguments: [
      (small + small, [0x30, 6, 2, 1, 1, 2, 1, 1]),
      (
        small + [0x80] + [UInt8](repeating: 0, count: 31),
        [0x30, 38, 2, 1, 1, 2, 33, 0, 0x80] + [UInt8](repeating: 0, count: 31)
      ),
      (large + small, [0x30, 38, 2, 33, 0] + large + [2, 1, 1]),
      ([UInt8](repeating: 0, count: 64), [0x30, 6, 2, 1, 0, 2, 1, 0]),
    ] as [([UInt8], [UInt8])]
  )
  func forms(concatenated: [UInt8], der: [UInt8]) throws {
    let signature = try #require(ECDSASignature(concatenated: concatenated))
    #expect(signature.der == der)
    #expect(ECDSASignature(der: der) == signature)
  }

  @Test(
    "other bytes are not a signature",
    arguments: [
      [], [0x30], [0x30, 0], [0x31, 6, 2, 1, 1, 2, 1, 1], [0x30, 7, 2, 1, 1, 2, 1, 1],
      [0x30, 5, 2, 1, 1, 2, 1, 1], [0x30, 6, 2, 1, 1, 3, 1, 1], [0x30, 3, 2, 1, 1],
      [0x30, 7, 2, 1, 1, 2, 1, 1, 0], [0x30, 6, 2, 1, 0x80, 2, 1, 1], [0x30, 5, 2, 0, 2, 1, 1],
      [0x30, 6, 2, 1, 1, 2, 2, 1], [0x30, 38, 2, 33, 1] + large + [2, 1, 1],
    ] as [[UInt8]]
  )
  func invalid(der: [UInt8]) {
    #expect(ECDSASignature(der: der) == nil)
  }

  @Test("the concatenated form has 64 bytes", arguments: [0, 63, 65])
  func size(count: Int) {
    #expect(ECDSASignature(concatenated: [UInt8](repeating: 1, count: count)) == nil)
  }
}
