// SPDX-License-Identifier: MIT

import Synchronization

/// The life of a program, which may end at any of its system calls.
package final class Life: Sendable {
  private struct State {
    var isAlive = true
    var callsMade = 0
    /// The number of calls left; `nil` for no limit.
    var callsLeft: Int?
    var onDeath: @Sendable () -> Void = {}
  }

  private let state: Mutex<State>

  /// Creates a life of a limited number of calls; `nil` for no limit.
  package init(calls: Int? = nil) {
    state = Mutex(State(callsLeft: calls))
  }

  package var isAlive: Bool { state.withLock(\.isAlive) }
  var callsMade: Int { state.withLock(\.callsMade) }

  /// Sets what the world does when the program is killed.
  package func onDeath(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onDeath = body }
  }

  func kill() {
    let death = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.isAlive else { return nil }
      state.isAlive = false
      defer { state.onDeath = {} }
      return state.onDeath
    }
    death?()
  }

  /// Releases the closure of ``onDeath(_:)`` after the program has ended normally.
  func end() { state.withLock { $0.onDeath = {} } }

  /// Counts a call; returns false if the program is dead or dies at this call, which then does
  /// nothing.
  func mayGoOn() -> Bool {
    let isOver = state.withLock { state in
      state.callsMade += 1
      guard let left = state.callsLeft else { return false }
      state.callsLeft = max(0, left - 1)
      return left <= 0
    }
    if isOver { kill() }
    return isAlive
  }
}
