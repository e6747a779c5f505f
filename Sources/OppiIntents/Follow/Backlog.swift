// SPDX-License-Identifier: MIT

/// What waits to be given out, in order and in constant time each.
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
