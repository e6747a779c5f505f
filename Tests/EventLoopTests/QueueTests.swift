// SPDX-License-Identifier: MIT

import Testing

@testable import EventLoop

/// The queue of the jobs that are ready.
@Suite struct QueueTests {
  @Test("a queue that is never empty does not grow", arguments: [2, 3, 100])
  func alwaysReady(count: Int) {
    var queue = Queue<Int>()
    for number in 0..<count { queue.append(number) }
    var largest = 0
    for number in count..<100_000 {
      #expect(queue.remove(at: 0) == number - count)
      queue.append(number)
      largest = max(largest, queue.extent)
    }
    #expect(queue.count == count && largest <= 600)
  }

  @Test("elements leave in order, whatever their number")
  func order() {
    var queue = Queue<Int>()
    var next = 0
    for round in 1...2000 {
      for number in 0..<2 { queue.append(2 * (round - 1) + number) }
      #expect(queue.remove(at: 0) == next)
      next += 1
    }
    while queue.count > 0 {
      #expect(queue.remove(at: 0) == next)
      next += 1
    }
    #expect(next == 4000 && queue.extent == 0)
  }
}
