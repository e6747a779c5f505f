// SPDX-License-Identifier: MIT

import OppiTerminal

/// What is open in place of a list, or next to it on a wide screen, and takes all keys.
protocol ListPage: Sendable {
  /// The keys that work now, for the footer.
  var hints: [KeyHint] { get }

  /// Whether it takes the place of the list on a wide screen, too.
  var coversList: Bool { get }

  /// The effects when it opens, such as reading what it shows.
  var opening: [ConsoleEffect] { get }

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome

  /// Handles the result of an effect.
  mutating func take(_ news: ConsoleNews, in model: ConsoleModel) -> [ConsoleEffect]

  /// Adapts to the size of its area and the model, before each view.
  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel)

  /// Records that the view was on the screen.
  mutating func wasShown(at now: Duration)

  /// Handles the passing of time, also while the tab is not shown.
  mutating func wait(at now: Duration)

  /// The user returns to the tab, or the program continues after a stop.
  mutating func isShownAgain()

  /// The view for the size to which it was adapted last.
  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock
}

extension ListPage {
  var coversList: Bool { false }
  var opening: [ConsoleEffect] { [] }
  mutating func take(_ news: ConsoleNews, in model: ConsoleModel) -> [ConsoleEffect] { [] }
  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel) {}
  mutating func wasShown(at now: Duration) {}
  mutating func wait(at now: Duration) {}
  mutating func isShownAgain() {}
}

/// What a key did on a page.
enum PageOutcome: Sendable, Equatable {
  case stays([ConsoleEffect] = [])
  /// Back to the list, whose source settles the effects.
  case closes([ConsoleEffect] = [])
}

/// The position in rows that keys scroll; it stays within the rows as they were last counted.
struct DetailScroll: Sendable, Equatable {
  enum Start: Sendable {
    case top
    /// New rows at the end stay visible.
    case end
  }

  private let start: Start
  /// The rows that are hidden before the start.
  private var hidden = 0
  private var count = 0
  private var room = 1

  init(from start: Start = .top) { self.start = start }

  /// Sets the number of all rows and of those that the area shows.
  mutating func fit(_ count: Int, room: Int) {
    (self.count, self.room) = (max(0, count), max(1, room))
    hidden = min(max(0, hidden), max(0, self.count - self.room))
  }

  /// Handles a key; returns false if it closes the detail.
  mutating func take(_ key: Key) -> Bool {
    switch key {
    case .escape, .left, .text("q"), .control("c"): return false
    default: scroll(by: key)
    }
    return true
  }

  /// Moves by a key; keeps the position for any other.
  mutating func scroll(by key: Key) {
    let page = max(1, room - 1)
    switch key {
    case .up, .text("k"): move(by: -1)
    case .down, .text("j"): move(by: 1)
    case .pageUp: move(by: -page)
    case .pageDown, .text(" "): move(by: page)
    case .home, .text("g"): move(by: -count)
    case .end, .text("G"): move(by: count)
    default: break
    }
  }

  private mutating func move(by rows: Int) {
    hidden += start == .top ? rows : -rows
    fit(count, room: room)
  }

  /// The visible rows.
  var shown: Range<Int> {
    let first = start == .top ? hidden : max(0, count - room - hidden)
    return first..<min(count, first + room)
  }

  var above: Int { shown.lowerBound }

  var below: Int { count - shown.upperBound }
}

extension Array {
  /// The visible elements of a list whose length may have changed since.
  func shown(_ scroll: DetailScroll) -> [Element] {
    Array(self[scroll.shown.clamped(to: indices)])
  }
}
