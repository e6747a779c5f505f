// SPDX-License-Identifier: MIT

import Synchronization

/// The life of one program, which may end between any two of its calls to the system.
package final class Life: Sendable {
  private struct State {
    var isAlive = true
    var callsMade = 0
    /// How many calls are left; `nil` for as many as it likes.
    var callsLeft: Int?
    var onDeath: @Sendable () -> Void = {}
  }

  private let state: Mutex<State>

  /// Begins a life of so many calls.
  package init(calls: Int? = nil) {
    state = Mutex(State(callsLeft: calls))
  }

  package var isAlive: Bool { state.withLock(\.isAlive) }
  var callsMade: Int { state.withLock(\.callsMade) }

  /// What the world does at the moment of death.
  package func onDeath(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onDeath = body }
  }

  /// Ends the life now.
  func kill() {
    let death = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.isAlive else { return nil }
      state.isAlive = false
      defer { state.onDeath = {} }
      return state.onDeath
    }
    death?()
  }

  /// Lets go of what the world would have done: the program has ended by itself.
  func end() { state.withLock { $0.onDeath = {} } }

  /// Counts a call; false where the program is, or is by this, dead and the call does nothing.
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
