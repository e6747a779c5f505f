// SPDX-License-Identifier: MIT

struct Waiter {
  enum Outcome {
    case ready(Int)
    case failed(EventLoop.WaitError)
  }

  let id: Int
  let interests: [EventLoop.Interest]
  let deadline: EventLoop.Instant?
  let continuation: UnsafeContinuation<Outcome, Never>
}

struct WaiterList {
  /// In ascending order of ID.
  private var waiters: [Waiter] = []
  private var lastID = 0

  mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  mutating func add(_ waiter: Waiter) {
    waiters.insert(waiter, at: index(of: waiter.id))
  }

  mutating func remove(_ id: Int) -> Waiter? {
    let index = index(of: id)
    guard index < waiters.count, waiters[index].id == id else { return nil }
    return waiters.remove(at: index)
  }

  /// All interests, and for each one the ID of its waiter and its index there.
  var interests: ([EventLoop.Interest], owners: [(waiter: Int, index: Int)]) {
    var interests: [EventLoop.Interest] = []
    var owners: [(waiter: Int, index: Int)] = []
    for waiter in waiters {
      for (index, interest) in waiter.interests.enumerated() {
        interests.append(interest)
        owners.append((waiter.id, index))
      }
    }
    return (interests, owners)
  }

  var nearestDeadline: EventLoop.Instant? {
    waiters.lazy.compactMap(\.deadline).min()
  }

  /// The IDs of the waiters whose deadline has passed, earliest deadline first.
  func expired(at now: EventLoop.Instant) -> [Int] {
    waiters.compactMap { waiter in
      waiter.deadline.flatMap { $0 <= now ? (deadline: $0, id: waiter.id) : nil }
    }
    .sorted { $0 < $1 }.map(\.id)
  }

  /// The index of a waiter, or where it would be inserted.
  private func index(of id: Int) -> Int {
    var (low, high) = (0, waiters.count)
    while low < high {
      let middle = (low + high) / 2
      if waiters[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A queue with constant-time removal from the front or any other position, on average.
struct Queue<Element> {
  /// The least number of removed elements whose space is reclaimed.
  private static var leastGap: Int { 256 }

  private var elements: [Element] = []
  private var start = 0

  /// The number of elements that it has room for, with those that were removed.
  var extent: Int { elements.count }

  var count: Int { elements.count - start }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Removes an element; the front element takes its position.
  mutating func remove(at offset: Int) -> Element {
    elements.swapAt(start, start + offset)
    defer {
      start += 1
      // The queue may never be empty. At most as many elements are moved as were removed.
      if start == elements.count || start >= max(Self.leastGap, elements.count / 2) {
        elements.removeFirst(start)
        start = 0
      }
    }
    return elements[start]
  }
}
