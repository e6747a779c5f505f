// SPDX-License-Identifier: MIT

/// A queue with constant-time removal from the front or any other position.
struct Queue<Element> {
  private var elements: [Element] = []
  private var start = 0

  var count: Int { elements.count - start }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Removes an element; the front element takes its position.
  mutating func remove(at offset: Int) -> Element {
    elements.swapAt(start, start + offset)
    defer {
      start += 1
      if start == elements.count {
        elements.removeAll(keepingCapacity: true)
        start = 0
      }
    }
    return elements[start]
  }
}
