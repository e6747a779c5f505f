// SPDX-License-Identifier: MIT

import EventLoop
import Synchronization
import TestSupport
import Testing

@Suite("EventLoop, scheduling")
struct EventLoopSchedulingTests {
  /// A kernel that counts its waits and never blocks.
  private final class CountingKernel: Kernel {
    let waits = Mutex(0)
    private let inner: ManualKernel

    init(_ inner: ManualKernel = ManualKernel()) { self.inner = inner }

    var now: EventLoop.Instant { inner.now }
    var timeOfDay: Duration { inner.timeOfDay }

    func randomBits() -> UInt64 { inner.randomBits() }

    func wait(
      for interests: [EventLoop.Interest],
      until deadline: EventLoop.Instant?
    ) -> [Int] {
      waits.withLock { $0 += 1 }
      if let deadline, deadline != .past { inner.advance(by: now.duration(to: deadline)) }
      return []
    }

    func wake() {}
  }

  @Test("ready jobs run to the end before the kernel is called again")
  func burst() {
    let kernel = CountingKernel()
    EventLoop(on: kernel).run {
      for _ in 0..<100 { await Task.yield() }
    }
    #expect(kernel.waits.withLock { $0 } == 0)
  }

  @Test("long jobs do not delay the next kernel call for long")
  func longJobs() {
    let inner = ManualKernel()
    let kernel = CountingKernel(inner)
    EventLoop(on: kernel).run {
      for _ in 0..<100 {
        inner.advance(by: .milliseconds(2))
        await Task.yield()
      }
    }
    #expect(kernel.waits.withLock { $0 } >= 30)
  }

  @Test("a task that is always ready does not starve deadlines")
  func starvation() {
    let kernel = CountingKernel()
    let loop = EventLoop(on: kernel)
    loop.run {
      await withTaskGroup(of: Void.self) { group in
        let isOver = Mutex(false)
        group.addTask {
          try? await loop.sleep(for: .zero)
          isOver.withLock { $0 = true }
        }
        for _ in 0..<1_000_000 where !isOver.withLock({ $0 }) { await Task.yield() }
        #expect(isOver.withLock { $0 })
        group.cancelAll()
      }
    }
    #expect(kernel.waits.withLock { $0 } > 0)
  }

  @Test("a wakeup resumes its task, and a second or late one does nothing")
  func wakeup() throws {
    let outcome = try onLoop { loop in
      let wakeup = Mutex<EventLoop.Wakeup?>(nil)
      async let waiting: Void = loop.wait(until: nil) { given in wakeup.withLock { $0 = given } }
      while wakeup.withLock({ $0 }) == nil {
        try Task.checkCancellation()
        await Task.yield()
      }
      for _ in 0..<3 { await Task.yield() }
      wakeup.withLock { $0 }?.fire()
      try await waiting
      wakeup.withLock { $0 }?.fire()
      do throws(EventLoop.WaitError) {
        try await loop.wait(until: loop.now) { _ in }
        return nil as EventLoop.WaitError?
      } catch {
        return error
      }
    }
    #expect(outcome == .timedOut)
  }

  @Test("random numbers and the time of day come from the kernel")
  func chance() {
    let (first, second) = (
      EventLoop(on: ManualKernel(seed: 7)), EventLoop(on: ManualKernel(seed: 7))
    )
    #expect(first.random.next() == second.random.next())
    #expect(first.timeOfDay == second.timeOfDay)
  }
}
