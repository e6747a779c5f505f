// SPDX-License-Identifier: MIT

/// A queue that removes its first element in constant time.
struct Backlog<Element: Sendable>: Sendable {
  private var items: [Element] = []
  private var start = 0

  var isEmpty: Bool { start == items.count }

  mutating func append(_ item: Element) {
    items.append(item)
  }

  mutating func next() -> Element? {
    guard start < items.count else { return nil }
    defer {
      start += 1
      if start == items.count {
        items.removeAll(keepingCapacity: items.capacity < 1024)
        start = 0
      }
    }
    return items[start]
  }
}
