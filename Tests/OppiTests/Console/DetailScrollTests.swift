// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi

@Suite struct DetailScrollTests {
  private static func scroll(
    _ count: Int,
    room: Int,
    from start: DetailScroll.Start = .top
  ) -> DetailScroll {
    var scroll = DetailScroll(from: start)
    scroll.fit(count, room: room)
    return scroll
  }

  @Test("keys move by rows and pages, and stop at both ends")
  func keys() {
    var scroll = Self.scroll(10, room: 4)
    #expect(scroll.shown == 0..<4 && scroll.above == 0 && scroll.below == 6)
    for (key, first) in [
      (Key.up, 0), (.down, 1), (.pageDown, 4), (.end, 6), (.down, 6), (.home, 0),
    ] {
      scroll.scroll(by: key)
      #expect(scroll.shown == first..<(first + 4) && scroll.below == 6 - first, "\(key)")
    }
  }

  @Test("a detail that fits does not move")
  func short() {
    var scroll = Self.scroll(3, room: 4)
    for key in [Key.down, .pageDown, .end, .up] {
      scroll.scroll(by: key)
      #expect(scroll.shown == 0..<3)
    }
    #expect(Self.scroll(0, room: 0).shown == 0..<0)
  }

  @Test("a conversation begins at its end, which new rows do not move")
  func end() {
    var scroll = Self.scroll(10, room: 4, from: .end)
    #expect(scroll.shown == 6..<10)
    scroll.fit(12, room: 4)
    #expect(scroll.shown == 8..<12)
    scroll.scroll(by: .up)
    #expect(scroll.shown == 7..<11 && scroll.below == 1)
    scroll.scroll(by: .home)
    #expect(scroll.shown == 0..<4 && scroll.above == 0)
  }

  @Test("fewer rows and a larger area bring the end back into view")
  func bounds() {
    var scroll = Self.scroll(10, room: 4)
    scroll.scroll(by: .end)
    scroll.fit(5, room: 4)
    #expect(scroll.shown == 1..<5)
    scroll.fit(5, room: 20)
    #expect(scroll.shown == 0..<5)
  }

  @Test("Esc, Left, q and Ctrl-C close a detail; other keys do not")
  func closing() {
    var scroll = Self.scroll(10, room: 4)
    for key in [Key.escape, .left, .text("q"), .control("c")] {
      let isOpen = scroll.take(key)
      #expect(!isOpen, "\(key)")
    }
    let isOpen = scroll.take(.text("x"))
    #expect(isOpen && scroll.shown == 0..<4)
  }
}
