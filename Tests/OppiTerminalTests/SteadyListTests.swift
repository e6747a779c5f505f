// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

/// Rows never move under the cursor, and the selection follows the id.
@Suite struct SteadyListTests {
  private func list(_ ids: [Int], selecting id: Int? = nil) -> SteadyList<Int> {
    var list = SteadyList<Int>()
    list.update(ids)
    if let id { list.select(id) }
    return list
  }

  @Test(
    "the first row is selected at first, and the list follows the wanted order until it was read"
  )
  func first() {
    var list = list([2, 3])
    #expect(list.selection == 2)
    list.wasShown(at: .zero)
    list.update([1, 2, 3])
    #expect(list.order == [1, 2, 3] && list.selection == 1 && list.fresh.isEmpty)
    list.wasShown(at: .milliseconds(400))
    list.wasShown(at: .milliseconds(899))
    list.update([0, 1, 2, 3])
    #expect(list.selection == 0, "the row 1 was on the screen for less than half a second")
    list.wasShown(at: .seconds(1))
    list.wasShown(at: .milliseconds(1500))
    list.update([7, 0, 1, 2, 3])
    #expect(list.selection == 0 && list.order == [0, 1, 2, 3, 7] && list.fresh == [7])
  }

  @Test("a list that is shown again follows the wanted order, unless the user has pressed a key")
  func again() {
    for isUser in [false, true] {
      var list = list([2, 3])
      for time in 0...1 { list.wasShown(at: .seconds(time)) }
      if isUser { list.keep() }
      list.update([1, 2, 3])
      list.isShownAgain()
      list.update([1, 2, 3])
      #expect(
        list.selection == (isUser ? 2 : 1) && list.order == (isUser ? [2, 3, 1] : [1, 2, 3])
      )
    }
  }

  @Test("an empty list has no selection, and selects the first row that comes")
  func waits() {
    var list = list([])
    list.keep()
    #expect(list.selection == nil)
    list.update([4, 5])
    #expect(list.selection == 4)
  }

  @Test("while a row is selected, a new row is appended and marked, wherever it belongs")
  func appended() {
    var list = list([2, 3], selecting: 2)
    list.update([1, 2, 3])
    #expect(list.order == [2, 3, 1] && list.fresh == [1])
    list.update([1, 2, 4, 3])
    #expect(list.order == [2, 3, 1, 4] && list.fresh == [1, 4])
  }

  @Test("a row that is gone keeps its place, so that those below do not move")
  func gone() {
    var list = list([1, 2, 3], selecting: 3)
    list.update([2, 3])
    #expect(list.order == [1, 2, 3])
    #expect(list.position == 2)
  }

  @Test("rows that are gone are kept only while they are visible or selected")
  func bounded() {
    var list = list([1, 2, 3, 4, 5, 6], selecting: 4)
    list.fit(2)
    #expect(list.top == 2)
    list.update([6])
    #expect(list.order == [3, 4, 6] && list.top == 0, "3 and 4 are visible, and do not move")
    list.move(by: 1)
    list.fit(2)
    list.update([7])
    #expect(list.order == [4, 6, 7] && list.selection == 6 && list.top == 0)
  }

  @Test("no update moves a visible row or the selection, or keeps too many rows", arguments: 0..<20)
  func steady(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var list = list([1, 2, 3], selecting: 2)
    for _ in 0..<200 {
      let count = Int.random(in: 1...6, using: &generator)
      if Bool.random(using: &generator) { list.move(by: .random(in: -4...4, using: &generator)) }
      if list.selection == nil { list.move(by: 1) }
      list.fit(count)
      let (visible, selection) = (
        Array(list.order.dropFirst(list.top).prefix(count)), list.selection
      )
      let ids = (0..<30).filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
      guard selection != nil else { continue }
      list.update(ids.shuffled(using: &generator))
      #expect(Array(list.order.dropFirst(list.top).prefix(visible.count)) == visible)
      #expect(list.selection == selection && Set(list.order).isSuperset(of: ids))
      #expect(Set(list.order).count == list.order.count)
      #expect(list.order.count <= ids.count + count + 1)
    }
  }

  @Test("a row that comes back after it was gone is not new")
  func back() {
    var list = list([1, 2], selecting: 2)
    list.update([2])
    list.update([1, 2])
    #expect(list.order == [1, 2] && list.fresh.isEmpty)
  }

  @Test("sorting keeps the selected row selected at its new place, unless it is gone")
  func sort() {
    var list = list([2, 3], selecting: 3)
    list.update([1, 2, 3])
    list.sort()
    #expect(list.order == [1, 2, 3] && list.selection == 3 && list.fresh.isEmpty)
    list.update([1, 2])
    #expect(list.selection == 3)
    list.sort()
    #expect(list.order == [1, 2] && list.selection == 1)
  }

  @Test("moving to the top sorts the list and selects its first row")
  func top() {
    var list = list([2, 3], selecting: 3)
    list.update([1, 2, 3])
    list.moveToTop()
    #expect(list.order == [1, 2, 3] && list.selection == 1)
  }

  @Test("moving up to or above the first row moves to the top; moving down stops at the last row")
  func moves() {
    var list = list([1, 2, 3])
    list.move(by: 1)
    list.update([0, 1, 2, 3])
    #expect(list.selection == 2 && list.order == [1, 2, 3, 0])
    list.move(by: 9)
    #expect(list.selection == 0)
    list.move(by: -9)
    #expect(list.selection == 0 && list.order == [0, 1, 2, 3])
  }

  @Test("the next wanted row is searched downwards first, and then from the top")
  func next() {
    var list = list([1, 2, 3, 4], selecting: 2)
    list.selectNext { $0 != 3 }
    #expect(list.selection == 4)
    list.selectNext { $0 < 4 }
    #expect(list.selection == 1)
    list.selectNext { $0 == 1 }
    #expect(list.selection == 1)
  }

  @Test("moves in an empty list select nothing")
  func empty() {
    var list = list([])
    list.move(by: 1)
    list.moveToEnd()
    list.moveToTop()
    list.fit(5)
    #expect(list.selection == nil && list.top == 0)
  }

  @Test("the list scrolls as little as possible to show the selected row")
  func scrolls() {
    var list = list(Array(0..<10), selecting: 0)
    list.fit(3)
    #expect(list.top == 0)
    list.select(3)
    list.fit(3)
    #expect(list.top == 1)
    list.select(2)
    list.fit(3)
    #expect(list.top == 1)
    list.select(0)
    list.fit(3)
    #expect(list.top == 0)
    list.moveToEnd()
    list.fit(3)
    #expect(list.top == 7)
    list.fit(20)
    #expect(list.top == 0)
  }
}
