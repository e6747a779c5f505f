// SPDX-License-Identifier: MIT

import Testing

@testable import OppiTerminal

@Suite struct ClickCounterTests {
  private typealias Click = (MouseEvent.Action, column: Int, at: Int)

  /// Which of the events, with their columns and milliseconds, are double clicks.
  private func doubles(_ clicks: [Click]) -> [Bool] {
    var counter = ClickCounter()
    return clicks.map { action, column, moment in
      let event = MouseEvent(action, row: 3, column: column)
      return counter.mark(event, at: .milliseconds(moment)).isDouble
    }
  }

  @Test("two presses in one cell within 400 ms are a double click, and the next one is not")
  func table() {
    #expect(
      doubles([(.press, 1, 0), (.release, 1, 50), (.press, 1, 400)]) == [false, false, true]
    )
    #expect(doubles([(.press, 1, 0), (.press, 1, 401), (.press, 1, 801)]) == [false, false, true])
    #expect(doubles([(.press, 1, 0), (.press, 1, 10), (.press, 1, 20)]) == [false, true, false])
    #expect(doubles([(.press, 1, 0), (.press, 2, 10), (.press, 1, 20)]) == [false, false, false])
    #expect(
      doubles([(.wheelUp, 1, 0), (.press, 1, 10), (.wheelUp, 1, 20)]) == [false, false, false]
    )
  }

  @Test("presses in two rows are no double click")
  func rows() {
    var counter = ClickCounter()
    _ = counter.mark(MouseEvent(.press, row: 1, column: 1), at: .zero)
    #expect(!counter.mark(MouseEvent(.press, row: 2, column: 1), at: .zero).isDouble)
  }
}
