// SPDX-License-Identifier: MIT

import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import OppiTransport

@Suite("Admission")
struct AdmissionTests {
  @Test("connections are limited, and the next one waits until another ends")
  func limit() throws {
    try onLoop { loop in
      let admission = Admission(surely: 100) { 101 }
      var permits: [Admission.Permit] = []
      for _ in 0..<101 { permits.append(try await admission.enter(on: loop, until: .farOff)) }
      await #expect(throws: EventLoop.WaitError.timedOut) {
        _ = try await admission.enter(on: loop, until: loop.now + .milliseconds(5))
      }
      let isIn = Mutex(false)
      async let late = admission.enter(on: loop, until: .farOff)
      for _ in 0..<5 { await Task.yield() }
      #expect(!isIn.withLock { $0 })
      permits.removeLast()
      _ = try await late
      isIn.withLock { $0 = true }
    }
  }

  @Test("the limit is not read for few connections")
  func few() throws {
    try onLoop { loop in
      let isAsked = Mutex(false)
      let admission = Admission(surely: 100) {
        isAsked.withLock { $0 = true }
        return 1
      }
      var permits: [Admission.Permit] = []
      for _ in 0..<100 { permits.append(try await admission.enter(on: loop, until: .farOff)) }
      #expect(!isAsked.withLock { $0 })
      #expect(permits.count == 100)
    }
  }

  @Test("a wait that was given up does not block later waits")
  func givenUp() throws {
    try onLoop { loop in
      let admission = Admission(surely: 100) { 100 }
      var permits: [Admission.Permit] = []
      for _ in 0..<100 { permits.append(try await admission.enter(on: loop, until: .farOff)) }
      await #expect(throws: EventLoop.WaitError.self) {
        _ = try await admission.enter(on: loop, until: loop.now)
      }
      async let next = admission.enter(on: loop, until: .farOff)
      for _ in 0..<5 { await Task.yield() }
      permits.removeLast()
      _ = try await next
    }
  }
}
