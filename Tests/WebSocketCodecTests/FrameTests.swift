// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import WebSocketCodec

@Suite("MaskingKey")
struct MaskingKeyTests {
  private let key = MaskingKey(rawValue: 0x37FA_213D)

  @Test("byte i is XORed with byte i mod 4 of the key", arguments: 0...40)
  func definition(count: Int) {
    let original = (0..<count + 6).map { UInt8($0) }
    let keyBytes: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    var masked = original
    key.apply(to: &masked, in: 3..<3 + count)
    for index in original.indices {
      let isInside = 3..<3 + count ~= index
      let expected = isInside ? original[index] ^ keyBytes[(index - 3) % 4] : original[index]
      #expect(masked[index] == expected)
    }
  }

  @Test("masking in pieces with an advanced key equals masking at once", arguments: 0...20)
  func pieces(cut: Int) {
    var generator = SeededGenerator(seed: 7)
    let original = generator.bytes(20)
    var whole = original
    key.apply(to: &whole, in: 0..<20)
    var pieces = original
    key.apply(to: &pieces, in: 0..<cut)
    key.advanced(by: cut).apply(to: &pieces, in: cut..<20)
    #expect(pieces == whole)
  }

  @Test("a key has the generator's bits")
  func generated() {
    var generator = ConstantGenerator(value: 0x37FA_213D)
    #expect(MaskingKey(using: &generator) == key)
  }
}

@Suite("Opcode")
struct OpcodeTests {
  @Test("three opcodes are data, three are control and ten are reserved")
  func kinds() {
    let all = (0...15).map { Opcode(rawValue: $0) }
    #expect(all.filter { !$0.isReserved && !$0.isControl } == [.continuation, .text, .binary])
    #expect(all.filter { !$0.isReserved && $0.isControl } == [.close, .ping, .pong])
    #expect(all.filter(\.isReserved).map(\.rawValue) == [3, 4, 5, 6, 7, 11, 12, 13, 14, 15])
  }

  @Test("only the low four bits are used")
  func lowBits() {
    #expect(Opcode(rawValue: 0x81) == .text)
  }
}
