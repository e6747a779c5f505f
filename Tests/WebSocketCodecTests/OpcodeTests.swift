// SPDX-License-Identifier: MIT

import Testing
import WebSocketCodec

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
