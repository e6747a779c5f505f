// SPDX-License-Identifier: MIT

import EventLoop
import Synchronization

/// Admits a limited number at once; further ones wait until another leaves.
final class Admission: Sendable {
  /// Permission for one, released with its last reference.
  final class Permit: Sendable {
    private let admission: Admission

    fileprivate init(_ admission: Admission) {
      self.admission = admission
    }

    deinit {
      admission.leave()
    }
  }

  private struct State {
    var open = 0
    /// `nil` until needed.
    var limit: Int?
    var waiting: [EventLoop.Wakeup] = []
  }

  private let surely: Int
  private let limit: @Sendable () -> Int
  private let state = Mutex(State())

  /// Creates an admission; `limit` is called only when `surely` have been admitted.
  init(surely: Int, limit: @escaping @Sendable () -> Int) {
    (self.surely, self.limit) = (surely, limit)
  }

  func enter(
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(EventLoop.WaitError) -> Permit {
    while !takePlace() {
      try await loop.wait(until: deadline) { wakeup in
        state.withLock { $0.waiting.append(wakeup) }
      }
    }
    return Permit(self)
  }

  private func takePlace() -> Bool {
    state.withLock { state in
      if state.open >= surely {
        let limit = state.limit ?? limit()
        state.limit = limit
        guard state.open < limit else { return false }
      }
      state.open += 1
      return true
    }
  }

  private func leave() {
    state.withLock { $0.open -= 1 }
    // Wakeups of tasks that no longer wait are skipped.
    while let next = nextInLine(), !next.fire() {}
  }

  private func nextInLine() -> EventLoop.Wakeup? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }
}
