// SPDX-License-Identifier: MIT

import Testing

@Suite("WebSocketStream, by RFC 6455")
struct ConformanceTests {
  @Test(
    "a client conforms to RFC 6455, however the server's bytes are split",
    arguments: ConformanceCase.all
  )
  func conforms(row: ConformanceCase) throws {
    for cutting in Cutting.allCases {
      let conduct = try row.play(cutting: cutting)
      #expect(conduct == row.conduct, "\(row.number), \(cutting)")
    }
  }

  @Test("each case has a unique number")
  func numbers() {
    let numbers = ConformanceCase.all.map(\.number)
    #expect(Set(numbers).count == numbers.count)
  }
}
