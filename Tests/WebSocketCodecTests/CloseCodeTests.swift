// SPDX-License-Identifier: MIT

import Testing
import WebSocketCodec

@Suite("CloseCode")
struct CloseCodeTests {
  @Test(
    "registered codes and the ranges for libraries and private use may be sent",
    arguments: [1000, 1001, 1002, 1003, 1007, 1011, 1012, 1014, 3000, 3999, 4000, 4999]
  )
  func sendable(code: UInt16) {
    #expect(CloseCode(rawValue: code).mayAppearOnWire)
  }

  @Test(
    "reserved codes and numbers outside the ranges may not be sent",
    arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535]
  )
  func unsendable(code: UInt16) {
    #expect(!CloseCode(rawValue: code).mayAppearOnWire)
  }

  @Test("a code without a name keeps its number")
  func unknown() {
    #expect(CloseCode(rawValue: 4321).rawValue == 4321)
  }
}
