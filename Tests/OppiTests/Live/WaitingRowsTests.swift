// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi

@Suite struct WaitingRowsTests {
  private func rows(_ range: Range<Int>) -> [StyledText] { range.map { StyledText("\($0)") } }

  @Test("in the foreground all rows are kept, however many")
  func foreground() {
    var waiting = WaitingRows()
    waiting.add(rows(0..<WaitingRows.limit + 5), isInForeground: true)
    #expect(waiting.take().count == WaitingRows.limit + 5 && waiting.take().isEmpty)
  }

  @Test("in the background the oldest rows are dropped, and their number is reported once")
  func background() {
    var waiting = WaitingRows()
    waiting.add(rows(0..<WaitingRows.limit), isInForeground: false)
    waiting.add(rows(0..<3), isInForeground: false)
    let taken = waiting.take().map(\.plain)
    #expect(
      taken.count == WaitingRows.limit + 1 && taken.first?.hasPrefix("3 rows were not") == true
    )
    #expect(taken[1] == "3" && taken.last == "2" && waiting.take().isEmpty)
  }
}
