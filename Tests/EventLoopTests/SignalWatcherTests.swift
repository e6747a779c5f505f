// SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import Testing

@testable import EventLoop

/// Each test is a process of its own, because signals belong to one.
@Suite("SignalWatcher")
struct SignalWatcherTests {
  /// The threads that tests run on block every signal; a program's main thread does not.
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

  @Test("a signal wakes a task that waits for it")
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

  @Test("a cancelled wait has no signal")
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

  @Test("a signal that nobody watches keeps its effect")
  func unwatched() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      Self.unblockSignals()
      let loop = try EventLoop()
      let watcher = try SignalWatcher([SIGINT], on: loop)
      raise(SIGTERM)
      withExtendedLifetime(watcher) {}
    }
  }

  @Test("a signal that the program was started to ignore stays ignored")
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
