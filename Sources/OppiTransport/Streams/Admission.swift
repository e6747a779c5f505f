// SPDX-License-Identifier: MIT

import EventLoop
import Synchronization

/// Lets only so many connections be open at the same time; others wait for one that ends.
///
/// Without it the system's limit of open files would look like servers that cannot be reached.
final class Admission: Sendable {
  /// A place that is given back with the last reference to it.
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
    /// `nil` until it matters.
    var limit: Int?
    var waiting: [EventLoop.Wakeup] = []
  }

  /// So many connections are below any limit.
  private static let surely = 100

  private let limit: @Sendable () -> Int
  private let state = Mutex(State())

  /// Makes an admission; the limit is asked for when there are many connections at once.
  init(limit: @escaping @Sendable () -> Int) {
    self.limit = limit
  }

  /// Waits for a place.
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
      if state.open >= Self.surely {
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
    // Those who have given up are passed over.
    while let next = nextInLine(), !next.fire() {}
  }

  private func nextInLine() -> EventLoop.Wakeup? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }
}
