// SPDX-License-Identifier: MIT

import EventLoop
import TestSupport
import Testing

import class Foundation.Thread

@Suite("EventLoop, cancellation")
struct EventLoopCancellationTests {
  private static func waitForEver(on loop: EventLoop) async -> EventLoop.WaitError? {
    do {
      _ = try await loop.wait(for: [], until: nil)
      return nil
    } catch {
      return error
    }
  }

  @Test("a cancelled task does not wait")
  func before() throws {
    try onLoop { loop in
      let error = await withTaskGroup(of: EventLoop.WaitError?.self) { group in
        group.cancelAll()
        group.addTask { await Self.waitForEver(on: loop) }
        return await group.next()
      }
      #expect(error == .cancelled)
    }
  }

  @Test("cancelling a task ends its wait")
  func during() throws {
    try onLoop { loop in
      let error = await withTaskGroup(of: EventLoop.WaitError?.self) { group in
        group.addTask { await Self.waitForEver(on: loop) }
        try? await loop.sleep(for: .zero)
        group.cancelAll()
        return await group.next()
      }
      #expect(error == .cancelled)
    }
  }

  @Test("a task can be cancelled from any thread, before or during a wait")
  func fromOtherThread() throws {
    for _ in 0..<100 {
      let loop = try EventLoop()
      let task = Task(executorPreference: loop) { await Self.waitForEver(on: loop) }
      Thread.detachNewThread { task.cancel() }
      #expect(loop.run { await task.value } == .cancelled)
    }
  }

  @Test("a cancelled sleep throws at once")
  func sleep() throws {
    try onLoop { loop in
      await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await loop.sleep(until: .now + .seconds(3600)) }
        group.cancelAll()
        await #expect(throws: CancellationError.self) { try await group.next() }
      }
    }
  }

  @Test("cancelling one wait does not affect the others")
  func others() throws {
    try onLoop { loop in
      async let kept: Void = loop.sleep(until: .now + .milliseconds(10))
      await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = await Self.waitForEver(on: loop) }
        await Task.yield()
        group.cancelAll()
      }
      try await kept
    }
  }
}
