// SPDX-License-Identifier: MIT

import Testing

@Suite("WebSocketStream, by RFC 6455")
struct ConformanceTests {
  @Test(
    "a client does what the protocol asks, however the server's bytes are cut",
    arguments: ConformanceCase.all
  )
  func conforms(row: ConformanceCase) throws {
    for cutting in Cutting.allCases {
      let conduct = try row.play(cutting: cutting)
      #expect(conduct == row.conduct, "\(row.number), \(cutting)")
    }
  }

  @Test("each case has a number of its own")
  func numbers() {
    let numbers = ConformanceCase.all.map(\.number)
    #expect(Set(numbers).count == numbers.count)
  }
}
