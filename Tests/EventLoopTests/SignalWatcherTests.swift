// SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import Testing

@testable import EventLoop

/// Each test runs in its own process, because signals affect the whole process.
@Suite("SignalWatcher")
struct SignalWatcherTests {
  /// Unblocks all signals: test threads block them, and a program's main thread does not.
  private static func unblockSignals() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  @Test("a signal is an event and does not end the program")
  func event() async {
    await #expect(processExitsWith: .success) {
      Self.unblockSignals()
      let numbers = try onLoop { loop in
        let watcher = try SignalWatcher([SIGTERM, SIGINT], on: loop)
        raise(SIGTERM)
        let first = await watcher.next()
        raise(SIGINT)
        return [first, await watcher.next()]
      }
      #expect(numbers == [SIGTERM, SIGINT])
    }
  }

  @Test("a signal wakes a waiting task")
  func wakes() async {
    await #expect(processExitsWith: .success) {
      Self.unblockSignals()
      let number = try onLoop { loop in
        let watcher = try SignalWatcher([SIGHUP], on: loop)
        async let number = watcher.next()
        try await loop.sleep(for: .zero)
        raise(SIGHUP)
        return await number
      }
      #expect(number == SIGHUP)
    }
  }

  @Test("a cancelled wait returns nil")
  func cancelled() async {
    await #expect(processExitsWith: .success) {
      Self.unblockSignals()
      let number = try onLoop { loop in
        let watcher = try SignalWatcher([SIGHUP], on: loop)
        return await withTaskGroup(of: Int32?.self) { group in
          group.addTask { await watcher.next() }
          group.cancelAll()
          return await group.next() ?? -1
        }
      }
      #expect(number == nil)
    }
  }

  @Test("a signal that is not watched keeps its effect")
  func unwatched() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      Self.unblockSignals()
      let loop = try EventLoop()
      let watcher = try SignalWatcher([SIGINT], on: loop)
      raise(SIGTERM)
      withExtendedLifetime(watcher) {}
    }
  }

  @Test("a signal that is ignored from the start stays ignored")
  func ignored() async {
    await #expect(processExitsWith: .success) {
      Self.unblockSignals()
      signal(SIGHUP, SIG_IGN)
      let number = try onLoop { loop in
        let watcher = try SignalWatcher([SIGHUP, SIGTERM], on: loop)
        raise(SIGHUP)
        raise(SIGTERM)
        return await watcher.next()
      }
      #expect(number == SIGTERM)
    }
  }
}
