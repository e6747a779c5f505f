// SPDX-License-Identifier: MIT

/// Elements that are taken from the front in constant time, or from anywhere.
struct Queue<Element> {
  private var elements: [Element] = []
  private var start = 0

  var count: Int { elements.count - start }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Takes an element out; one from behind the front leaves its place to the front's.
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
