// SPDX-License-Identifier: MIT

import Synchronization

/// The life of one program, which may end between any two of its calls to the system.
package final class Life: Sendable {
  private struct State {
    var isAlive = true
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

  /// What the world does at the moment of death.
  package func onDeath(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onDeath = body }
  }

  /// Counts a call; false where the program is, or is by this, dead and the call does nothing.
  func mayGoOn() -> Bool {
    let (mayGoOn, death) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      guard state.isAlive else { return (false, nil) }
      guard let left = state.callsLeft else { return (true, nil) }
      state.callsLeft = left - 1
      guard left <= 0 else { return (true, nil) }
      state.isAlive = false
      return (false, state.onDeath)
    }
    death?()
    return mayGoOn
  }
}
